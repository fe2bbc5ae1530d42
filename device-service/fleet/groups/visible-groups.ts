import { readPage } from '../../../kit/call/page.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { hasMade, seesAll } from '../../../kit/rpc/may-see.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { ListGroupsRequest } from '../../../proto/gen/cloudphone/device/v1/group_service_pb.js';
import { type GroupDocument, type GroupStore, idOfMaker, type ListedGroup } from '../../store/groups.js';

/** Returns a group that the caller made; a caller that sees all devices gets any group of the account. Throws not_found. */
export async function findVisibleGroup(groups: GroupStore, caller: Caller, id: string): Promise<GroupDocument> {
  const group = await groups.find(id);
  if (group === null || !maySeeGroup(caller, group)) {
    throw new ApiError('not_found', `There is no group "${id.slice(0, 40)}" that this key can see.`);
  }
  return group;
}

export function maySeeGroup(caller: Caller, { accountId, maker }: Pick<GroupDocument, 'accountId' | 'maker'>): boolean {
  return accountId === caller.accountId && (seesAll(caller) || hasMade(caller, idOfMaker(maker)));
}

/** Returns the groups that the caller may see (`maySeeGroup`), newest first. With `label`, only groups with that label are returned. */
export function listGroups(
  groups: GroupStore,
  caller: Caller,
  request: Pick<ListGroupsRequest, 'limit' | 'cursor' | 'label'>,
): Promise<{ items: ListedGroup[]; nextCursor?: string }> {
  const { accountId, keyId, memberId, scope } = caller;
  const made = scope === Scope.PERSON && memberId !== undefined ? { memberId } : { makerId: keyId };
  const maker = seesAll(caller) ? {} : made;
  return readPage(
    request,
    (limit, beforeId) => groups.list({ accountId, ...maker, label: request.label, beforeId, limit }),
    ({ _id }) => _id,
  );
}
