import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** A key is `cp_`, 40 random base62 characters (238 bits), and their checksum. Keys of older releases have no checksum. */
const RANDOM_CHARACTERS = 40;
/** 62^6 is above 2^32, so six characters have every CRC32. */
const CHECKSUM_CHARACTERS = 6;
const KEY_PATTERN = /^cp_[A-Za-z0-9]{40,80}$/;
const WITH_CHECKSUM = /^cp_([A-Za-z0-9]{40})([A-Za-z0-9]{6})$/;

/** Returns the text of a new key. Its checksum lets secret scanners tell a key from other random text, without asking us. */
export function createKeyText(): string {
  const random = Array.from({ length: RANDOM_CHARACTERS }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
  return `cp_${random}${checksum(random)}`;
}

/**
 * Returns the key's text in `Bearer <key>`. Undefined: the header has another form, or the text has the length of new keys and a wrong
 * checksum. Such a text costs no look-up.
 */
export function keyTextOf(authorization: string): string | undefined {
  const text = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (text === undefined || !KEY_PATTERN.test(text)) return undefined;
  const [, random, shown] = WITH_CHECKSUM.exec(text) ?? [];
  return random === undefined || checksum(random) === shown ? text : undefined;
}

/** Returns the CRC32 of a text in base62, with the digit of the highest value first. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let at = 0; at < CHECKSUM_CHARACTERS; at++) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
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
