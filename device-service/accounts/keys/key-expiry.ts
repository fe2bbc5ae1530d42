import { timestampDate } from '@bufbuild/protobuf/wkt';
import { ApiError } from '../../../kit/errors/api-error.js';
import { parseTimestamp } from '../../../kit/json/timestamp.js';
import { MAX_KEY_LIFETIME_MS } from '../limits.js';

/** Throws bad_request unless the end of a key is in the future, and at most MAX_KEY_LIFETIME_MS from now. */
export function assertExpiry(expiresAt: Date, nowMs: number): void {
  const ms = expiresAt.getTime();
  if (ms <= nowMs) throw new ApiError('bad_request', `expires_at: ${expiresAt.toISOString()} is not in the future.`);
  const latest = new Date(nowMs + MAX_KEY_LIFETIME_MS);
  if (ms <= latest.getTime()) return;
  throw new ApiError(
    'bad_request',
    `expires_at: ${expiresAt.toISOString()} is more than five years from now. The latest time is ${latest.toISOString()}.`,
  );
}

/** Returns the time in a request that changes a key; null for "", which removes it. Throws bad_request for any other text. */
export function expiryOf(text: string): Date | null {
  if (text === '') return null;
  const time = parseTimestamp(text);
  if (time !== undefined) return timestampDate(time);
  throw new ApiError(
    'bad_request',
    `expires_at: "${text}" is not an RFC 3339 time such as 2026-11-20T17:00:00Z, or "" for never.`,
  );
}
