#!/bin/sh
# Enables the relay of a running phone for this machine, uses a stock adb through it, and turns it off. Needs curl, jq and adb.
set -eu
: "${CLOUDPHONE_URL:?the base URL, with /v1}" "${CLOUDPHONE_KEY:?an API key}" "${CLOUDPHONE_DEVICE:?name of a running phone}"
# The address from which this machine reaches the service.
: "${FROM:=127.0.0.1}"

relay() {
  curl --silent --show-error --fail-with-body "$CLOUDPHONE_URL/devices/$CLOUDPHONE_DEVICE/adb" \
    -H "Authorization: Bearer $CLOUDPHONE_KEY" "$@"
}

OPENED=$(relay -H 'Content-Type: application/json' -d "{\"allow\": [\"$FROM\"], \"lifetime_s\": 3600}")
ADDRESS=$(echo "$OPENED" | jq -r '"\(.adb.host):\(.adb.port)"')
CODE=$(echo "$OPENED" | jq -r .adb.code)

adb connect "$ADDRESS"
adb -s "$ADDRESS" shell service-login "$CODE"
adb -s "$ADDRESS" shell getprop ro.build.version.release
adb disconnect "$ADDRESS"

relay -X DELETE | jq -r '"relay on: \(.adb.enabled)"'
