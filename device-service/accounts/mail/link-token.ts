import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../../kit/async/clock.js';
import type { MailLinkDocument, MailLinkStore, MailLinkUse } from '../../store/mail-links.js';
import { RESET_LIFETIME_MS, VERIFICATION_LIFETIME_MS } from './limits.js';

/** The pages of the links. The token follows the # of the link, which browsers send to no server, so it is in no log. */
const PATHS = { reset: '/reset', verification: '/verify' } as const;
const PREFIXES = { reset: 'pwr', verification: 'ver' } as const;
const LIFETIMES_MS = { reset: RESET_LIFETIME_MS, verification: VERIFICATION_LIFETIME_MS } as const;

/** Returns the stored form of a link's token: its lower-case hex SHA-256. */
export function linkDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Makes a link for a person, and returns its path. */
export async function makeLink(
  { mailLinks, clock }: { mailLinks: MailLinkStore; clock: Clock },
  use: MailLinkUse,
  { personId, mailed }: Pick<MailLinkDocument, 'personId' | 'mailed'>,
): Promise<{ path: string; expiresAt: Date }> {
  const token = `${PREFIXES[use]}_${randomBytes(32).toString('base64url')}`;
  const expiresAt = new Date(clock.now() + LIFETIMES_MS[use]);
  await mailLinks.insert({ _id: linkDigest(token), use, personId, mailed, expiresAt });
  return { path: `${PATHS[use]}#${token}`, expiresAt };
}
