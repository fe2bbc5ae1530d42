import { ApiError } from '../../../kit/errors/api-error.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { refusalFor } from '../../accounts/callers/leased.js';
import { findVisibleDevice, seenBy } from '../../accounts/callers/visibility.js';
import { busyWithJob } from '../../devices/jobs/accept-job.js';
import { MAX_CANDIDATES, MAX_FREE, POOL_CANDIDATES } from '../limits.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { LeaseWait, Wanted } from '../../store/lease-waits.js';
import { isSeen } from '../../store/seen.js';
import type { FleetContext } from '../fleet-context.js';

/** The devices that a call may lease now, the best first. `why`: the reason where there is none. */
export interface Candidates {
  devices: DeviceDocument[];
  why: () => string;
}

/**
 * Finds the devices that a call may lease. `earlier` is how many calls came before it. Throws not_found and forbidden for a device by name,
 * as everywhere.
 */
export async function findFree(
  context: FleetContext,
  caller: Caller,
  wanted: Wanted,
  earlier: number,
): Promise<Candidates> {
  if ('device' in wanted) return byName(context, caller, wanted.device);
  if ('pool' in wanted) return ofPool(context, wanted.pool, earlier);
  return byLabel(context, caller, wanted.label);
}

/** Returns the devices that are left when each call that came earlier gets the first one that it waits for. */
export function leftBy(earlier: readonly LeaseWait[], free: readonly DeviceDocument[]): DeviceDocument[] {
  const left = [...free];
  for (const wait of earlier) {
    const at = left.findIndex((device) => isWanted(wait, device));
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}

function isWanted({ wanted, seen }: LeaseWait, device: DeviceDocument): boolean {
  if ('pool' in wanted) return device.pool?.id === wanted.pool;
  if ('device' in wanted) return device.name === wanted.device;
  const { pool, problem, state, labels = [] } = device;
  if (pool !== undefined || problem !== undefined || (state !== 'running' && state !== 'stopped')) return false;
  if (!labels.includes(wanted.label)) return false;
  return seen === undefined || isSeen(seen, device);
}

async function byName(context: FleetContext, caller: Caller, name: string): Promise<Candidates> {
  const device = await findVisibleDevice(context.devices, caller, name);
  // A phone that a pool keeps never comes by its name. One with a lease or a hand-over comes, so calls may wait for it.
  if (device.pool !== undefined && device.lease === undefined) throw new ApiError('busy', refusalFor(device, '') ?? '');
  const { lease, job, handover } = device;
  if (lease === undefined && job === undefined && handover === undefined)
    return { devices: [device], why: () => `"${name}" was leased by another caller just now.` };
  const why = (): string =>
    lease?.keyId === caller.keyId && lease.ended === undefined
      ? `"${name}" is leased by this key already: POST /v1/leases/${lease.id}/renew moves its end.`
      : (refusalFor(device, '') ?? (job === undefined ? '' : busyWithJob(device, job).message));
  return { devices: [], why };
}

async function byLabel({ devices, hostSilence }: FleetContext, caller: Caller, label: string): Promise<Candidates> {
  const { accountId } = caller;
  const silent = await hostSilence.now();
  const limit = silent.size === 0 ? MAX_CANDIDATES : MAX_FREE;
  const all = await devices.leases.findFree({ accountId, seen: seenBy(caller), label, limit });
  const found = all.filter(({ hostId }) => !silent.has(hostId));
  return {
    devices: found.sort((a, b) => rank(a) - rank(b)),
    why: () =>
      `No device with the label ${label} is free: each is leased or at work, has a problem, or does not exist. GET /v1/devices?label=${label} lists them.`,
  };
}

async function ofPool(context: FleetContext, poolId: string, earlier: number): Promise<Candidates> {
  const { devices, pools, hostSilence } = context;
  const silent = await hostSilence.now();
  // Some more than one, as other processes lease phones of the pool too.
  const limit = silent.size === 0 ? Math.min(MAX_CANDIDATES, earlier + POOL_CANDIDATES) : MAX_FREE;
  const ready = (await devices.pools.findReady(poolId, limit)).filter(({ hostId }) => !silent.has(hostId));
  const problem = ready.length > 0 ? undefined : (await pools.find(poolId))?.problem;
  const why = problem === undefined ? 'Its phones are leased, or being made.' : problem.message;
  return { devices: ready, why: () => `No phone of the pool is ready. ${why}` };
}

/** Orders devices: running ones first, and of those with the same state the one first that was leased the longest time ago. */
function rank({ state, leaseEndedAt }: DeviceDocument): number {
  return (state === 'running' ? 0 : Number.MAX_SAFE_INTEGER / 2) + (leaseEndedAt?.getTime() ?? 0);
}
