import type { ServiceImpl } from '@connectrpc/connect';
import { callerOf } from '../../kit/rpc/context.js';
import type { UsageService } from '../../proto/gen/cloudphone/billing/v1/usage_service_pb.js';
import { getUsage, type UsageParts } from '../billing/get-usage.js';

/** Unpack, call, pack. */
export function usageRpc(parts: UsageParts): ServiceImpl<typeof UsageService> {
  return { getUsage: (request, context) => getUsage(parts, callerOf(context), request) };
}
