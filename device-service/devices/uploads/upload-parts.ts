import type { UnderWay } from '../../../kit/async/under-way.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { UPLOADS_OF_ACCOUNT, UPLOADS_OF_ALL } from '../limits.js';

/** A part of an upload. */
interface UploadPart {
  data: Uint8Array;
}

/**
 * Throws rate_limited when the account has too many uploads under way, and unavailable when all accounts together have. While half of all
 * are under way, an account has one: a few accounts with slow uploads then leave room to the others.
 */
export function assertUploadRoom(uploads: UnderWay, accountId: string): void {
  const own = uploads.of(accountId);
  if (own >= UPLOADS_OF_ACCOUNT) {
    const message = `${own} uploads of this account are under way. Send this one when they are through.`;
    throw new ApiError('rate_limited', message, { retryAfterS: 10 });
  }
  if (uploads.all >= UPLOADS_OF_ALL || (uploads.all >= UPLOADS_OF_ALL / 2 && own > 0)) {
    throw new ApiError('unavailable', 'Too many uploads are under way just now. Try again.', { retryAfterS: 10 });
  }
}

/** Yields the bytes of an upload, whose first part was read already. */
export async function* bytesOf(first: UploadPart, rest: AsyncIterable<UploadPart>): AsyncIterable<Uint8Array> {
  if (first.data.length > 0) yield first.data;
  for await (const { data } of rest) if (data.length > 0) yield data;
}
