import { createHash, timingSafeEqual } from 'node:crypto';
import { randomText } from '../../kit/ids.js';

const GROUPS = 3;
const GROUP_LENGTH = 5;

/** Creates a login code such as `k7m29-xqp4t-nd8ws`: 15 characters of five random bits each. */
export function createLoginCode(): string {
  return Array.from({ length: GROUPS }, () => randomText(GROUP_LENGTH)).join('-');
}

/**
 * Returns the digest that is stored of a code: the lower-case hex SHA-256 of its normal form. A slow hash would add nothing: 75 random bits cannot be
 * searched in the week that a code lives at most, with any hash, and online the relay is off after 20 tries.
 */
export function loginCodeDigest(code: string): string {
  return createHash('sha256').update(normalForm(code)).digest('hex');
}

/** Compares in constant time. */
export function isLoginCode(code: string, digest: string): boolean {
  return timingSafeEqual(Buffer.from(loginCodeDigest(code), 'hex'), Buffer.from(digest, 'hex'));
}

/** Accepts any case, missing hyphens, and the letters that the alphabet leaves out because they look like others. */
function normalForm(code: string): string {
  return code.toLowerCase().replace(/[\s-]/g, '').replace(/o/g, '0').replace(/[il]/g, '1');
}
