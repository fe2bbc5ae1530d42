import { readPage } from '../../kit/page.js';
import type { ListKeysRequest } from '../../proto/gen/cloudphone/access/v1/key_service_pb.js';
import type { KeyDocument, KeyStore } from '../store/keys.js';

/** The keys of an account that are good, oldest first; of all, or of one label. */
export function listKeys(
  keys: KeyStore,
  accountId: string,
  request: Pick<ListKeysRequest, 'limit' | 'cursor' | 'label'>,
): Promise<{ items: KeyDocument[]; nextCursor?: string }> {
  return readPage(
    request,
    (limit, afterId) => keys.list({ accountId, label: request.label, limit, afterId }),
    ({ _id }) => _id,
  );
}
