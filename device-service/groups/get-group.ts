import { ApiError } from '../../kit/errors.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { GroupDocument, GroupStore } from '../store/groups.js';

/** Returns a group that the caller made, or any of the account to a caller that sees all devices. Throws not_found. */
export async function findVisibleGroup(groups: GroupStore, caller: Caller, id: string): Promise<GroupDocument> {
  const group = await groups.find(id);
  if (group === null || !maySeeGroup(caller, group)) {
    throw new ApiError('not_found', `There is no group "${id.slice(0, 40)}" that this key can see.`);
  }
  return group;
}

export function maySeeGroup(caller: Caller, { accountId, maker }: Pick<GroupDocument, 'accountId' | 'maker'>): boolean {
  return accountId === caller.accountId && (caller.allDevices || maker.id === caller.keyId);
}
