/**
 * Returns whether a webhook request is genuine. Compares in constant time.
 *
 * `rawBody`: the bytes as they came, before any JSON parser. `signature`: the header X-Service-Signature. `apiKey`: the text of the
 * API key that the webhook belongs to.
 */
export async function verifyWebhook(
  rawBody: Uint8Array | string,
  signature: string | null | undefined,
  apiKey: string,
): Promise<boolean> {
  const { subtle } = globalThis.crypto;
  const text = new TextEncoder();
  const digest = new Uint8Array(await subtle.digest('SHA-256', text.encode(apiKey)));
  // The secret is the hex text itself, not the bytes it encodes.
  const secret = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await subtle.importKey('raw', text.encode(secret), hmac, false, ['verify']);
  const body = typeof rawBody === 'string' ? text.encode(rawBody) : Uint8Array.from(rawBody);
  return subtle.verify(hmac, key, bytesOf(signature ?? ''), body);
}

/** Returns the bytes of a SHA-256 in hex. Any other text gives no bytes, which equal no signature. */
function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  if (!/^[0-9a-f]{64}$/.test(hex)) return new Uint8Array();
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}
