import { randomInt } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** A token is `sh_` and 43 random base62 characters (256 bits). */
const RANDOM_CHARACTERS = 43;
const TOKEN_PATTERN = /^sh_[A-Za-z0-9]{43}$/;

export function createShareToken(): string {
  return 'sh_' + Array.from({ length: RANDOM_CHARACTERS }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

/** Returns the token in `Bearer <token>`; undefined when the header has another form. */
export function shareTokenOf(authorization: string): string | undefined {
  const text = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  return text !== undefined && TOKEN_PATTERN.test(text) ? text : undefined;
}

/**
 * Returns the path of a share's link. The token is in the fragment, which browsers send to no server, so it is in no log and no Referer.
 */
export function sharePath(token: string): string {
  return `/share#${token}`;
}
