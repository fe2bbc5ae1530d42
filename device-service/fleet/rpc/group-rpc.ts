import type { ServiceImpl } from '@connectrpc/connect';
import { callerOf } from '../../../kit/rpc/context.js';
import type { GroupService } from '../../../proto/gen/cloudphone/device/v1/group_service_pb.js';
import { cancelGroup } from '../runs/cancel-group.js';
import { assertRoomForGroup, createGroup, createGroupId } from '../runs/create-group.js';
import { groupJob, groupMessage, groupSummary } from '../groups/group-message.js';
import { onErrorWord } from '../groups/on-error.js';
import { storeSteps } from '../groups/stored-steps.js';
import { findVisibleGroup, listGroups } from '../groups/visible-groups.js';
import { changedLabels } from '../../record/labels.js';
import { GROUP_CONCURRENCY } from '../limits.js';
import type { GroupRuns } from '../runs/group-runs.js';
import type { FleetContext } from '../fleet-context.js';

/** Adapts the operations of groups to their rpcs. */
export function groupRpc(parts: FleetContext, runs: GroupRuns): ServiceImpl<typeof GroupService> {
  return {
    createGroup: async ({ devices, steps, concurrency = GROUP_CONCURRENCY, onError, name, labels }, context) => {
      const caller = callerOf(context);
      await assertRoomForGroup(parts.groups, caller.accountId);
      const _id = createGroupId(parts.clock);
      const stored = { steps: storeSteps(steps, _id, parts.stepsBox), stepCount: steps.length };
      const sorted = changedLabels([], labels);
      const order = {
        _id,
        devices,
        ...stored,
        concurrency,
        onError: onErrorWord(onError),
        ...(name !== undefined && { name }),
        ...(sorted.length > 0 && { labels: sorted }),
      };
      const group = await createGroup(parts, runs, caller, order);
      return { job: groupJob(group), group: groupMessage(group) };
    },
    cancelGroup: async ({ id }, context) => ({ job: groupJob(await cancelGroup(parts, runs, callerOf(context), id)) }),
    listGroups: async (request, context) => {
      const { items, ...page } = await listGroups(parts.groups, callerOf(context), request);
      return { groups: items.map(groupSummary), ...page };
    },
    getGroup: async ({ id }, context) => ({
      group: groupMessage(await findVisibleGroup(parts.groups, callerOf(context), id)),
    }),
  };
}
