import { readPage } from '../../kit/page.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { GroupDocument, GroupStore } from '../store/groups.js';

/** Returns the groups that the caller may see (maySeeGroup), newest first. */
export function listGroups(
  groups: GroupStore,
  { accountId, keyId, allDevices }: Caller,
  request: { limit?: number | undefined; cursor?: string | undefined },
): Promise<{ items: GroupDocument[]; nextCursor?: string }> {
  const makerId = allDevices ? undefined : keyId;
  return readPage(
    request,
    (limit, beforeId) => groups.list({ accountId, makerId, beforeId, limit }),
    ({ _id }) => _id,
  );
}
