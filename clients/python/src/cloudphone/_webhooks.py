"""Signatures of webhooks."""

import hashlib
import hmac


def verify_webhook(raw_body: bytes, signature: str | None, api_key: str) -> bool:
    """Returns whether a webhook is genuine. Compares in constant time.

    `raw_body`: the bytes as they came, before any JSON parser. `signature`: the header X-Service-Signature. `api_key`: the text of the key
    whose webhook it is.
    """
    # The secret is the hexadecimal text itself, not the bytes that it encodes.
    secret = hashlib.sha256(api_key.encode()).hexdigest().encode()
    expected = hmac.new(secret, raw_body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), (signature or "").encode())
