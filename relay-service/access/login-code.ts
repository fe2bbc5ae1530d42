import { createHash, timingSafeEqual } from 'node:crypto';
import { randomText } from '../../kit/text/ids.js';

const GROUPS = 3;
const GROUP_LENGTH = 5;

/** Creates a login code such as `k7m29-xqp4t-nd8ws`: 15 characters of five random bits each. */
export function createLoginCode(): string {
  return Array.from({ length: GROUPS }, () => randomText(GROUP_LENGTH)).join('-');
}

/**
 * Returns the digest that is stored of a code: the lower-case hex SHA-256 of its normal form. A slow hash would add nothing: a code
 * has 75 random bits, more than anybody can search in the week that it lives at most. The relay itself is turned off after 20 wrong codes
 * in a short time.
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
