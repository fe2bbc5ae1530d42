import type { ServiceImpl } from '@connectrpc/connect';
import { callerOf, callOf } from '../../../kit/rpc/context.js';
import type { Lease } from '../../../proto/gen/cloudphone/device/v1/lease_pb.js';
import type { LeaseService } from '../../../proto/gen/cloudphone/device/v1/lease_service_pb.js';
import { deviceMessage } from '../../record/device-message.js';
import { leaseMessage } from '../../record/lease-message.js';
import type { FleetContext } from '../fleet-context.js';
import { findLease, listLeases, releaseLease, renewLease } from '../leases/read-leases.js';
import { type Leased, takeLease } from '../leases/take-lease.js';

/** Adapts the operations of leases to their rpcs. */
export function leaseRpc(parts: FleetContext): ServiceImpl<typeof LeaseService> {
  const message = ({ name, lease }: Leased): Lease => leaseMessage(name, lease);
  return {
    createLease: async (request, context) => {
      const leased = await takeLease(parts, callOf(context), callerOf(context), request);
      return { lease: message(leased), device: deviceMessage(leased, parts.clock.now()) };
    },
    listLeases: async (request, context) => {
      const { items, ...page } = await listLeases(parts, callerOf(context), request);
      return { leases: items.map(message), ...page };
    },
    getLease: async ({ id }, context) => ({ lease: message(await findLease(parts, callerOf(context), id)) }),
    renewLease: async (request, context) => ({ lease: message(await renewLease(parts, callerOf(context), request)) }),
    endLease: async ({ id }, context) => {
      await releaseLease(parts, callerOf(context), id);
      return {};
    },
  };
}
