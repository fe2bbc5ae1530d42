import { createHmac } from 'node:crypto';

/**
 * The signature of a body (docs/webhooks.md): lower-case hex HMAC-SHA256. `secret` is the lower-case hex SHA-256 of the API
 * key's text, used as ASCII bytes, not decoded.
 */
export function sign(body: Uint8Array, secret: string): string {
  return createHmac('sha256', Buffer.from(secret, 'ascii')).update(body).digest('hex');
}
