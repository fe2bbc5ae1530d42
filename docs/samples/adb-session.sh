# Enables the relay of a running phone for this machine, uses a stock adb through it, and turns it off. FROM is the address from which
# this machine reaches the service, 127.0.0.1 unless it is set. Needs curl, jq and adb.
relay() {
  curl --silent --show-error --fail-with-body "$CLOUDPHONE_URL/devices/$CLOUDPHONE_DEVICE/adb" \
    -H "Authorization: Bearer $CLOUDPHONE_KEY" "$@"
}

OPENED=$(relay -H 'Content-Type: application/json' -d "{\"allow\": [\"${FROM:-127.0.0.1}\"], \"lifetime_s\": 3600}")
ADDRESS=$(echo "$OPENED" | jq -r '"\(.adb.host):\(.adb.port)"')
CODE=$(echo "$OPENED" | jq -r .adb.code)

adb connect "$ADDRESS"
adb -s "$ADDRESS" shell -n service-login "$CODE"
adb -s "$ADDRESS" shell -n getprop ro.build.version.release
adb disconnect "$ADDRESS"

relay -X DELETE | jq -r '"relay on: \(.adb.enabled)"'
