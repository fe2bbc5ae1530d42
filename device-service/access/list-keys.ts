import { readPage } from '../../kit/page.js';
import type { KeyDocument, KeyStore } from '../store/keys.js';

/** The keys of an account that are good, oldest first. */
export function listKeys(
  keys: KeyStore,
  accountId: string,
  request: { limit?: number | undefined; cursor?: string | undefined },
): Promise<{ items: KeyDocument[]; nextCursor?: string }> {
  return readPage(
    request,
    (limit, afterId) => keys.list({ accountId, limit, afterId }),
    ({ _id }) => _id,
  );
}
