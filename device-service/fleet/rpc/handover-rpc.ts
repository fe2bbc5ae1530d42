import type { ServiceImpl } from '@connectrpc/connect';
import { callerOf, callOf } from '../../../kit/rpc/context.js';
import type { HandoverService } from '../../../proto/gen/cloudphone/device/v1/handover_service_pb.js';
import { sharePath } from '../../accounts/callers/share-token.js';
import { handoverMessage } from '../../record/handover-message.js';
import type { FleetContext } from '../fleet-context.js';
import { beginHandover } from '../handovers/begin-handover.js';
import { cancelHandover, finishHandover, takeHandover } from '../handovers/change-handover.js';
import { awaitHandover, listHandovers } from '../handovers/read-handovers.js';

/** Adapts the operations of hand-overs to their rpcs. */
export function handoverRpc(parts: FleetContext): ServiceImpl<typeof HandoverService> {
  return {
    createHandover: async (request, context) => {
      const { device, handover, token } = await beginHandover(parts, callOf(context), callerOf(context), request);
      return { handover: handoverMessage(device.name, handover, sharePath(token)) };
    },
    listHandovers: async (request, context) => {
      const { items, ...page } = await listHandovers(parts, callerOf(context), request);
      return { handovers: items.map((handover) => handoverMessage(request.name, handover)), ...page };
    },
    getHandover: async ({ name, id, waitS = 0 }, context) => {
      const { signal } = callOf(context);
      const which = { name, id, waitMs: waitS * 1_000, signal };
      return { handover: handoverMessage(name, await awaitHandover(parts, callerOf(context), which)) };
    },
    cancelHandover: async (request, context) => {
      await cancelHandover(parts, callerOf(context), request);
      return {};
    },
    takeHandover: async (request, context) => ({
      handover: handoverMessage(request.name, await takeHandover(parts, callerOf(context), request)),
    }),
    finishHandover: async (request, context) => ({
      handover: handoverMessage(request.name, await finishHandover(parts, callerOf(context), request, request.note)),
    }),
  };
}
