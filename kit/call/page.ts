import { ApiError } from '../errors/api-error.js';

/** Lists take `limit` 1 to 200, default 100. */
const DEFAULT_PAGE_ITEMS = 100;

/** One page of a list, as selected by `limit` and `cursor`. */
export interface Page {
  limit: number;
  /** Sort key of the last item of the page before. */
  after?: string;
}

export function pageOf(request: { limit?: number | undefined; cursor?: string | undefined }): Page {
  const limit = request.limit ?? DEFAULT_PAGE_ITEMS;
  if (request.cursor === undefined) return { limit };
  const after = Buffer.from(request.cursor, 'base64url').toString('utf8');
  if (after === '' || cursorOf(after) !== request.cursor) {
    throw new ApiError('bad_request', 'cursor: not a next_cursor of this list');
  }
  return { limit, after };
}

/** Cuts the items to one page. The caller has read one item more than the page holds, which shows whether a page follows. */
export function cutPage<T>(
  items: readonly T[],
  limit: number,
  keyOf: (item: T) => string,
): { items: T[]; nextCursor?: string } {
  const last = items[limit - 1];
  if (items.length <= limit || last === undefined) return { items: [...items] };
  return { items: items.slice(0, limit), nextCursor: cursorOf(keyOf(last)) };
}

/** Returns the requested page of a stored list. `read` returns at most `limit` items that come after the key `after`, in their order. */
export async function readPage<T>(
  request: { limit?: number | undefined; cursor?: string | undefined },
  read: (limit: number, after: string | undefined) => Promise<readonly T[]>,
  keyOf: (item: T) => string,
): Promise<{ items: T[]; nextCursor?: string }> {
  const { limit, after } = pageOf(request);
  return cutPage(await read(limit + 1, after), limit, keyOf);
}

/** Returns the requested page of a list that is in memory, sorted by `keyOf`. The key of each item must be unique. */
export function pageOfAll<T>(
  all: readonly T[],
  request: { limit?: number | undefined; cursor?: string | undefined },
  keyOf: (item: T) => string,
): { items: T[]; nextCursor?: string } {
  const { limit, after = '' } = pageOf(request);
  const rest = all.filter((item) => keyOf(item) > after).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return cutPage(rest, limit, keyOf);
}

function cursorOf(key: string): string {
  return Buffer.from(key, 'utf8').toString('base64url');
}
