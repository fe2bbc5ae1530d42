import type { Clock } from '../../kit/clock.js';
import type { SessionDocument } from '../store/sessions.js';
import { SESSION_IDLE_S, SESSION_LIFETIME_S } from '../limits.js';

/** Returns when a session ends that began at `createdAt` and is used at `usedAt` for the last time. */
export function sessionEnd(createdAt: Date, usedAt: Date): Date {
  return new Date(Math.min(usedAt.getTime() + SESSION_IDLE_S * 1000, createdAt.getTime() + SESSION_LIFETIME_S * 1000));
}

/**
 * Whether a session is over, also one whose document is still there. Sessions of older releases may have an `expiresAt` past their
 * lifetime.
 */
export function hasEnded({ createdAt, usedAt, expiresAt }: SessionDocument, clock: Clock): boolean {
  return Math.min(expiresAt.getTime(), sessionEnd(createdAt, usedAt).getTime()) <= clock.now();
}
