import type { ServiceImpl } from '@connectrpc/connect';
import { callerOf } from '../../kit/rpc/context.js';
import type { GroupService } from '../../proto/gen/cloudphone/device/v1/group_service_pb.js';
import { cancelGroup } from '../groups/cancel-group.js';
import { assertRoomForGroup, createGroup, createGroupId, type CreateGroupParts } from '../groups/create-group.js';
import { findVisibleGroup } from '../groups/get-group.js';
import { groupJob, groupMessage, groupSummary } from '../groups/group-message.js';
import { listGroups } from '../groups/list-groups.js';
import { onErrorWord } from '../groups/on-error.js';
import type { StepsBox } from '../groups/steps-box.js';
import { storeSteps } from '../groups/stored-steps.js';
import { changedLabels } from '../labels/labels.js';
import { GROUP_CONCURRENCY } from '../limits.js';

/** Unpack, call, pack. */
export function groupRpc(parts: CreateGroupParts & { box: StepsBox }): ServiceImpl<typeof GroupService> {
  return {
    createGroup: async ({ devices, steps, concurrency = GROUP_CONCURRENCY, onError, name, labels }, context) => {
      const caller = callerOf(context);
      await assertRoomForGroup(parts.groups, caller.accountId);
      const _id = createGroupId(parts.clock);
      const stored = { steps: storeSteps(steps, _id, parts.box), stepCount: steps.length };
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
      const group = await createGroup(parts, caller, order);
      return { job: groupJob(group), group: groupMessage(group) };
    },
    cancelGroup: async ({ id }, context) => ({ job: groupJob(await cancelGroup(parts, callerOf(context), id)) }),
    listGroups: async (request, context) => {
      const { items, ...page } = await listGroups(parts.groups, callerOf(context), request);
      return { groups: items.map(groupSummary), ...page };
    },
    getGroup: async ({ id }, context) => ({
      group: groupMessage(await findVisibleGroup(parts.groups, callerOf(context), id)),
    }),
  };
}
