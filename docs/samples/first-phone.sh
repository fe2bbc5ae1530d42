# Creates a phone, waits until it runs, reads its screen, uses it, and deletes it. Needs curl and jq.
api() {
  method=$1 path=$2
  shift 2
  curl --silent --show-error --fail-with-body -X "$method" "$CLOUDPHONE_URL$path" \
    -H "Authorization: Bearer $CLOUDPHONE_KEY" "$@"
}

# Waits for the job of a 202 response, and prints how it ended.
finished() {
  api GET "/jobs/$(jq -r .job.id)?wait_s=60" | jq -r '.job | "\(.kind): \(.state)"'
}

api POST /devices -H 'Content-Type: application/json' -H "Idempotency-Key: first-phone-$(date +%s)" -d '{
  "name": "first-phone", "model": "phone-720p", "network": {"type": "direct", "country": "us"}, "plan": "minute"
}' | finished

api GET "/devices/first-phone/screenshot?format=jpeg" --output /tmp/first-phone.jpg
api GET "/devices/first-phone/observe?screenshot=none&elements=compact" | jq -r .observation.elements_text
api POST /devices/first-phone/act -H 'Content-Type: application/json' \
  -d '{"open_app": {"app": "Notes"}, "observe": "elements"}' | jq -r '"in front: \(.observation.app)"'

api DELETE /devices/first-phone | finished
