import type { Clock } from '../../../kit/async/clock.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { createId } from '../../../kit/text/ids.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { makerOf } from '../../accounts/callers/group-rights.js';
import { findVisibleDevice } from '../../accounts/callers/visibility.js';
import { MAX_GROUPS } from '../limits.js';
import type { GroupDocument, GroupStore } from '../../store/groups.js';
import type { GroupRuns } from './group-runs.js';
import type { FleetContext } from '../fleet-context.js';

/** The steps and the devices of a new group; `_id` is the group's id. */
export type GroupOrder = Pick<
  GroupDocument,
  '_id' | 'steps' | 'stepCount' | 'concurrency' | 'onError' | 'schedule' | 'name' | 'labels'
> & {
  devices: readonly string[];
};

export function createGroupId(clock: Clock): string {
  return createId('grp', clock.now());
}

/**
 * Throws rate_limited when the account has as many running groups as it may. Groups of schedules do not count here, as the number of
 * schedules bounds them.
 */
export async function assertRoomForGroup(groups: GroupStore, accountId: string): Promise<void> {
  if ((await groups.countOpen(accountId)) < MAX_GROUPS) return;
  throw new ApiError('rate_limited', `${MAX_GROUPS} groups of this account are running. Wait until one has ended.`, {
    retryAfterS: 60,
  });
}

/**
 * Makes a group and begins to run it. If a group with this id exists, as after a crash, nothing changes and that group is returned.
 * Throws forbidden and not_found for devices that the caller may not see.
 */
export async function createGroup(
  { devices, groups, clock }: FleetContext,
  runs: GroupRuns,
  caller: Caller,
  { devices: names, ...order }: GroupOrder,
): Promise<GroupDocument> {
  const found = await Promise.all(names.map((name) => findVisibleDevice(devices, caller, name)));
  const { fields, token } = runs.lease();
  const group: GroupDocument = {
    ...order,
    ...fields,
    accountId: caller.accountId,
    jobId: order._id.replace('grp_', 'job_'),
    maker: makerOf(caller),
    devices: found.map(({ _id, name }) => ({ name, phoneId: _id, state: 'waiting', step: 0 })),
    createdAt: new Date(clock.now()),
    open: true,
  };
  if (await groups.insert(group)) {
    runs.begin(group, token);
    return group;
  }
  return (await groups.find(group._id)) ?? group;
}
