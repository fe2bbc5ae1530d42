import { cutPage, pageOf } from '../lists/page.js';
import type { KeyDocument, KeyStore } from '../store/keys.js';

/** The keys of an account that are good, oldest first. */
export async function listKeys(
  keys: KeyStore,
  accountId: string,
  request: { limit?: number | undefined; cursor?: string | undefined },
): Promise<{ items: KeyDocument[]; nextCursor?: string }> {
  const { limit, after } = pageOf(request);
  const found = await keys.list({ accountId, limit: limit + 1, ...(after !== undefined && { afterId: after }) });
  return cutPage(found, limit, ({ _id }) => _id);
}
