import { createHash, randomBytes } from 'node:crypto';

const TOKEN_PATTERN = /^cps_[A-Za-z0-9_-]{43}$/;

/** `cps_` and 256 random bits. */
export function createSessionToken(): string {
  return `cps_${randomBytes(32).toString('base64url')}`;
}

/** The token in `Session <token>`, which is how the edge passes a session cookie on; undefined when it is not of that form. */
export function sessionTokenOf(authorization: string): string | undefined {
  const text = /^Session +(\S+)$/i.exec(authorization)?.[1];
  return text !== undefined && TOKEN_PATTERN.test(text) ? text : undefined;
}

/** The stored form of a token: lower-case hex SHA-256. */
export function sessionDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
