#!/bin/sh
# Checks a webhook request: CLOUDPHONE_KEY=... verify.sh SIGNATURE < body; exit status 0 when it is genuine.
# For trying things out: while openssl runs, its arguments can be seen by others on the machine.
set -eu
sha256() { openssl dgst -sha256 -r | cut -d ' ' -f 1; }

# The secret is the hex text itself, not the bytes it encodes.
secret=$(printf %s "$CLOUDPHONE_KEY" | sha256)
expected=$(openssl dgst -sha256 -hmac "$secret" -r | cut -d ' ' -f 1)
# Digests are compared, so that the time of the comparison reveals nothing about the expected value.
if [ "$(printf %s "$expected" | sha256)" = "$(printf %s "$1" | sha256)" ]; then
  echo genuine
else
  echo 'not genuine'
  exit 1
fi
