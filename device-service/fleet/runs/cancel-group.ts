import { ApiError } from '../../../kit/errors/api-error.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { GroupDocument } from '../../store/groups.js';
import { findVisibleGroup } from '../groups/visible-groups.js';
import type { GroupRuns } from './group-runs.js';
import type { FleetContext } from '../fleet-context.js';

/**
 * Cancels a running group, and returns it. One update of the group's document cancels it. The process at work on the group begins no
 * further step once it has read the cancel. If that is this process, it reads the cancel at once, and another process does at its next
 * beat. A process that takes the group over after a crash reads it too. A second cancel changes nothing. Throws busy for a group that has
 * ended.
 */
export async function cancelGroup(
  { groups, clock }: FleetContext,
  runs: GroupRuns,
  caller: Caller,
  id: string,
): Promise<GroupDocument> {
  const { _id } = await findVisibleGroup(groups, caller, id);
  const cancelled = await groups.cancel(_id, new Date(clock.now()));
  if (cancelled === null) throw new ApiError('busy', `The group "${_id}" has ended: GET /v1/groups/${_id} shows how.`);
  runs.cancel(cancelled);
  return cancelled;
}
