import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Returns whether a webhook request is genuine. `rawBody`: the bytes as they came, before any JSON parser; `signature`: the header
 * X-Service-Signature; `apiKey`: the text of the API key for which the webhook is set.
 */
export function verify(rawBody: Uint8Array, signature: string | undefined, apiKey: string): boolean {
  // The secret is the hex text itself, not the bytes it encodes.
  const secret = createHash('sha256').update(apiKey).digest('hex');
  const expected = createHmac('sha256', secret).update(rawBody).digest('hex');
  if (signature?.length !== expected.length) return false;
  return timingSafeEqual(Buffer.from(signature, 'latin1'), Buffer.from(expected, 'latin1'));
}
