import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { GroupDocument, GroupStore } from '../store/groups.js';
import { findVisibleGroup } from './get-group.js';
import type { GroupRuns } from './group-runs.js';

export interface CancelGroupParts {
  groups: GroupStore;
  runs: GroupRuns;
  clock: Clock;
}

/**
 * Cancels a running group, and returns it. The cancel is one update of its document; the process at work on the group begins no
 * further step once it has read that, at once when it is this one and at its next beat when it is another. A process that takes the
 * group over after a crash reads it too. A second cancel changes nothing. Throws busy for a group that has ended.
 */
export async function cancelGroup(
  { groups, runs, clock }: CancelGroupParts,
  caller: Caller,
  id: string,
): Promise<GroupDocument> {
  const { _id } = await findVisibleGroup(groups, caller, id);
  const cancelled = await groups.cancel(_id, new Date(clock.now()));
  if (cancelled === null) throw new ApiError('busy', `The group "${_id}" has ended: GET /v1/groups/${_id} shows how.`);
  runs.cancel(cancelled);
  return cancelled;
}
