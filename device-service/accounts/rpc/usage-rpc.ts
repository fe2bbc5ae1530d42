import type { ServiceImpl } from '@connectrpc/connect';
import { callerOf } from '../../../kit/rpc/context.js';
import type { UsageService } from '../../../proto/gen/cloudphone/billing/v1/usage_service_pb.js';
import { getUsage } from '../billing/get-usage.js';
import { listUsageDays } from '../billing/list-usage-days.js';
import type { AccountsContext } from '../accounts-context.js';

/** Adapts the operations of usage to their rpcs. */
export function usageRpc(parts: AccountsContext): ServiceImpl<typeof UsageService> {
  return {
    getUsage: (request, context) => getUsage(parts, callerOf(context), request),
    listUsageDays: (request, context) => listUsageDays(parts, callerOf(context), request),
  };
}
