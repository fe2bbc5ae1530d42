import type { ServiceImpl } from '@connectrpc/connect';
import { callerOf } from '../../../kit/rpc/context.js';
import type { CrashService } from '../../../proto/gen/cloudphone/device/v1/crash_service_pb.js';
import { keepCrashes } from '../crashes/keep-crashes.js';
import { listCrashes } from '../crashes/list-crashes.js';
import { watchedPhones } from '../crashes/watched-phones.js';
import type { HistoryContext } from '../history-context.js';

/** Adapts the operations of crashes to their rpcs. */
export function crashRpc(parts: HistoryContext): ServiceImpl<typeof CrashService> {
  return {
    listCrashes: (request, context) => listCrashes(parts, callerOf(context), request),
    listWatchedPhones: async () => ({ phones: await watchedPhones(parts.devices, parts.hostId, parts.clock) }),
    reportCrashes: async ({ crashes }) => ({ ids: await keepCrashes(parts, crashes) }),
  };
}
