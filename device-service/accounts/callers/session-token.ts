import { createHash, randomBytes } from 'node:crypto';

const TOKEN_PATTERN = /^cps_[A-Za-z0-9_-]{43}$/;

/** Returns a new token: `cps_` and 256 random bits. */
export function createSessionToken(): string {
  return `cps_${randomBytes(32).toString('base64url')}`;
}

/** Returns the token in `Session <token>`, with which the edge passes on a session cookie; undefined when the header has another form. */
export function sessionTokenOf(authorization: string): string | undefined {
  const text = /^Session +(\S+)$/i.exec(authorization)?.[1];
  return text !== undefined && TOKEN_PATTERN.test(text) ? text : undefined;
}

/** Returns the stored form of a token: its lower-case hex SHA-256. */
export function sessionDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
