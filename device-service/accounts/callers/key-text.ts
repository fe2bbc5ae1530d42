import { createHash, randomInt } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** A key is `cp_` and 40 or more random base62 characters (40 carry 238 bits). */
const RANDOM_CHARACTERS = 40;
const KEY_PATTERN = /^cp_[A-Za-z0-9]{40,80}$/;

export function createKeyText(): string {
  return 'cp_' + Array.from({ length: RANDOM_CHARACTERS }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

/** Returns the key's text in `Bearer <key>`; undefined when the header has another form. */
export function keyTextOf(authorization: string): string | undefined {
  const text = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  return text !== undefined && KEY_PATTERN.test(text) ? text : undefined;
}

/**
 * Returns the lower-case hex SHA-256 of a key. A plain hash is enough for a text of 238 random bits. The digest is also the secret with
 * which webhooks are signed (docs/webhooks.md).
 */
export function keyDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Returns the part of a key that is shown later: `cp_` and five characters. */
export function keyPrefix(text: string): string {
  return text.slice(0, 8);
}
