import type { Clock } from '../../../kit/async/clock.js';
import type { SessionDocument } from '../../store/sessions.js';
import { SESSION_IDLE_S, SESSION_LIFETIME_S } from '../limits.js';

/** Returns the end of a session that began at `createdAt` and was last used at `usedAt`. */
export function sessionEnd(createdAt: Date, usedAt: Date): Date {
  return new Date(Math.min(usedAt.getTime() + SESSION_IDLE_S * 1000, createdAt.getTime() + SESSION_LIFETIME_S * 1000));
}

/**
 * Returns whether a session has ended, even where its document still exists. Sessions of older releases may have an `expiresAt` after the
 * end of their lifetime.
 */
export function hasEnded({ createdAt, usedAt, expiresAt }: SessionDocument, clock: Clock): boolean {
  return Math.min(expiresAt.getTime(), sessionEnd(createdAt, usedAt).getTime()) <= clock.now();
}
