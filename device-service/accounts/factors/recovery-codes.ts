import { createHash, randomBytes } from 'node:crypto';

/** Codes that a person gets at a time. */
export const RECOVERY_CODES = 10;

/** Crockford's alphabet in lower case: no i, l, o or u to misread. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** Characters of a code: 80 bits, so that its plain SHA-256 reveals nothing. */
const CODE_CHARACTERS = 16;

/** Returns new recovery codes, such as `4tqh-x7s2-9kbm-w0dv`. */
export function createRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const text = [...randomBytes(CODE_CHARACTERS)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
    return (text.match(/.{4}/g) ?? []).join('-');
  });
}

/** Returns the stored form of a code. Case, spaces and hyphens make no difference, as people type codes from paper. */
export function recoveryDigest(code: string): string {
  return createHash('sha256').update(code.toLowerCase().replaceAll(/[\s-]/g, '')).digest('hex');
}
