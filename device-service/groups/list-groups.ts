import { readPage } from '../../kit/page.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { ListGroupsRequest } from '../../proto/gen/cloudphone/device/v1/group_service_pb.js';
import type { GroupDocument, GroupStore } from '../store/groups.js';

/** Returns the groups that the caller may see (maySeeGroup), newest first; of all, or of one label. */
export function listGroups(
  groups: GroupStore,
  { accountId, keyId, allDevices }: Caller,
  request: Pick<ListGroupsRequest, 'limit' | 'cursor' | 'label'>,
): Promise<{ items: GroupDocument[]; nextCursor?: string }> {
  const makerId = allDevices ? undefined : keyId;
  return readPage(
    request,
    (limit, beforeId) => groups.list({ accountId, makerId, label: request.label, beforeId, limit }),
    ({ _id }) => _id,
  );
}
