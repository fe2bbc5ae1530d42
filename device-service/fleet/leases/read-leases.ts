import { readPage } from '../../../kit/call/page.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { ListLeasesRequest, RenewLeaseRequest } from '../../../proto/gen/cloudphone/device/v1/lease_service_pb.js';
import { maySee } from '../../../kit/rpc/may-see.js';
import { seenBy } from '../../accounts/callers/visibility.js';
import { LEASE_S } from '../limits.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { FleetContext } from '../fleet-context.js';
import { endLease } from './end-lease.js';
import type { Leased } from './take-lease.js';

/** Returns a page of the leased devices that the caller may see, by name. */
export async function listLeases(
  { devices }: FleetContext,
  caller: Caller,
  request: ListLeasesRequest,
): Promise<{ items: Leased[]; nextCursor?: string }> {
  const { accountId } = caller;
  const { items, ...page } = await readPage(
    request,
    (limit, afterName) => devices.leases.list({ accountId, seen: seenBy(caller), limit, afterName }),
    ({ name }) => name,
  );
  return { items: items.filter(isLeased), ...page };
}

/** Returns the device of a lease that holds. Throws not_found for another one, and for a device that the caller may not see. */
export async function findLease({ devices }: FleetContext, caller: Caller, id: string): Promise<Leased> {
  const device = await devices.leases.find(caller.accountId, id);
  if (device === null || !maySee(caller, device) || !isLeased(device)) throw noSuchLease(id);
  return device;
}

/** Moves the end of the caller's lease. */
export async function renewLease(
  context: FleetContext,
  caller: Caller,
  { id, ttlS = LEASE_S }: RenewLeaseRequest,
): Promise<Leased> {
  // A hand-over may begin or end between the look and the update. Then the next look has that.
  for (let tries = 0; tries < RENEW_TRIES; tries++) {
    const device = await findLease(context, caller, id);
    const { lease } = device;
    if (lease.keyId !== caller.keyId) throw notHolder(id, lease.name, 'renew');
    const nowMs = context.clock.now();
    const renewed = await context.devices.leases.renew(device, new Date(nowMs), new Date(nowMs + ttlS * 1_000));
    if (renewed !== undefined && isLeased(renewed)) return renewed;
  }
  throw noSuchLease(id);
}

/** How often a renewal is tried. A hand-over takes 30 seconds at least, unless it is cancelled. */
const RENEW_TRIES = 3;

/** Ends a lease for its holder, or for a person in the panel. */
export async function releaseLease(context: FleetContext, caller: Caller, id: string): Promise<void> {
  const device = await findLease(context, caller, id);
  const isHolder = device.lease.keyId === caller.keyId;
  if (!isHolder && caller.scope !== Scope.PERSON) throw notHolder(id, device.lease.name, 'end');
  if (!(await endLease(context, device, isHolder ? 'released' : 'ended_by_owner'))) throw noSuchLease(id);
}

function isLeased(device: DeviceDocument): device is Leased {
  return device.lease !== undefined;
}

function noSuchLease(id: string): ApiError {
  return new ApiError(
    'not_found',
    `There is no lease "${id.slice(0, 64)}" any more. GET /v1/leases lists those that hold.`,
  );
}

function notHolder(id: string, holder: string, what: string): ApiError {
  const message = `The lease "${id}" is of "${holder}". Only its holder can ${what} it, or a person in the control panel.`;
  return new ApiError('forbidden', message);
}
