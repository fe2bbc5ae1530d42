import { createHash } from 'node:crypto';

/** Returns the value of the field `urlDigest`: short, and practically unique. Queries name the URL as well. */
export function urlDigest(url: string): string {
  return createHash('sha256').update(url).digest('base64url').slice(0, 16);
}
