import { createHash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

const TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/**
 * The secrets of one sign-in. They are derived from the token in the browser's cookie, so that only this browser can finish it, and the
 * database has none of them.
 */
export interface LoginSecrets {
  /** Comes back through the browser. */
  state: string;
  /** Comes back in the ID token. */
  nonce: string;
  /** Proves to the provider that the code was asked for here (PKCE, RFC 7636). */
  verifier: string;
}

/** Returns a new token: 256 random bits. */
export function createLoginToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the secrets of a token; undefined where it is no token. */
export function secretsOf(token: string | undefined): LoginSecrets | undefined {
  if (token === undefined || !TOKEN_PATTERN.test(token)) return undefined;
  const derive = (use: string): string =>
    Buffer.from(hkdfSync('sha256', token, '', `cloudphone oidc ${use}`, 32)).toString('base64url');
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') };
}

/** Returns the stored form of a token: its lower-case hex SHA-256. */
export function tokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Returns whether two texts are equal, in a time that reveals nothing about where they differ. */
export function isSameText(one: string, other: string): boolean {
  return timingSafeEqual(createHash('sha256').update(one).digest(), createHash('sha256').update(other).digest());
}
