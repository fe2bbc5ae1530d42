"""Checks a webhook request. As a program: CLOUDPHONE_KEY=... verify.py SIGNATURE < body; exit status 0 when it is genuine."""

import hashlib
import hmac
import os
import sys


def verify(raw_body: bytes, signature: str, api_key: str) -> bool:
    # The secret is the hex text itself, not the bytes it encodes.
    secret = hashlib.sha256(api_key.encode()).hexdigest()
    expected = hmac.new(secret.encode("ascii"), raw_body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())


if __name__ == "__main__":
    genuine = verify(sys.stdin.buffer.read(), sys.argv[1], os.environ["CLOUDPHONE_KEY"])
    print("genuine" if genuine else "not genuine")
    sys.exit(0 if genuine else 1)
