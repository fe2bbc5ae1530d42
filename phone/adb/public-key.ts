import { type KeyObject, constants, createPublicKey, publicDecrypt, timingSafeEqual } from 'node:crypto';

/** Bytes of the modulus: ADB keys are RSA keys of 2048 bits. */
export const MODULUS_BYTES = 256;

/** A key as adb writes it: words in the modulus, -1/n mod 2^32, the modulus n, 2^4096 mod n, the exponent; all little-endian. */
const KEY_BYTES = 4 + 4 + MODULUS_BYTES + MODULUS_BYTES + 4;

/** The prefix of a SHA-1 digest in a PKCS#1 v1.5 signature (RFC 8017, 9.2). ADB signs the token as if it were such a digest. */
export const SHA1_PREFIX = Buffer.from('3021300906052b0e03021a05000414', 'hex');

/** The random bytes that a phone sends to a client, to be signed. */
export const AUTH_TOKEN_BYTES = 20;

/**
 * Parses a line of `adbkey.pub` or of a phone's `adb_keys`: the key in base64, then usually a blank and `user@host`. Returns undefined
 * when it is not a 2048 bit RSA key in that format.
 */
export function parsePublicKey(line: string): KeyObject | undefined {
  const base64 = line.trim().split(/\s+/, 1)[0] ?? '';
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length !== KEY_BYTES || bytes.readUInt32LE(0) !== MODULUS_BYTES / 4) return undefined;
  const modulus = Buffer.from(bytes.subarray(8, 8 + MODULUS_BYTES)).reverse();
  const exponent = bytes.readUInt32LE(KEY_BYTES - 4);
  // A modulus with a leading zero bit is a shorter key; adb makes keys with the exponents 3 (long ago) and 65537.
  if ((modulus[0] ?? 0) < 0x80 || (exponent !== 3 && exponent !== 65_537)) return undefined;
  const e = Buffer.alloc(4);
  e.writeUInt32BE(exponent);
  const jwk = { kty: 'RSA', n: modulus.toString('base64url'), e: e.toString('base64url') };
  return createPublicKey({ key: jwk, format: 'jwk' });
}

/** Whether `signature` is that of `token` by the owner of `key`. */
export function isSignedBy(key: KeyObject, token: Buffer, signature: Buffer): boolean {
  if (signature.length !== MODULUS_BYTES) return false;
  let signed: Buffer;
  try {
    signed = publicDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, signature);
  } catch {
    return false; // the padding is wrong: made with another key
  }
  const expected = Buffer.concat([SHA1_PREFIX, token]);
  return signed.length === expected.length && timingSafeEqual(signed, expected);
}
