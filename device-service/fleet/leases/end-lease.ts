import { ApiError } from '../../../kit/errors/api-error.js';
import { endHandover } from '../handovers/end-handover.js';
import { firstState } from '../pools/first-state.js';
import { assertActive } from '../../accounts/callers/active-account.js';
import { assertMayRun } from '../../accounts/billing/funds.js';
import { newJob } from '../../record/new-job.js';
import { withStateEvent } from '../../record/state-event.js';
import { transitions } from '../../record/transitions.js';
import type { Job } from '../../store/device-document.js';
import type { DeviceDocument } from '../../store/devices.js';
import { type DeviceLease, leaseEvent, type LeaseReasonWord } from '../../store/lease.js';
import type { FleetContext } from '../fleet-context.js';

/**
 * Ends the lease of a device, if it is still the one that was read. Returns whether this call ended it.
 *
 * The lease is marked first; from then on nobody has the device, and nobody gets it. Then one update frees the device and accepts the job of
 * the end. After a crash in between, or while another job is at work on the device, the watch of the leases does the rest (lease-watch.ts).
 */
export async function endLease(
  context: FleetContext,
  device: DeviceDocument,
  reason: LeaseReasonWord,
  { ifExpired = false } = {},
): Promise<boolean> {
  const at = new Date(context.clock.now());
  const marked = await context.devices.leases.markEnded(device, { at, reason }, ifExpired ? at : undefined);
  if (marked === undefined) return false;
  await freeDevice(context, marked);
  return true;
}

/** Frees a device whose lease is marked as ended, unless a job is at work on it. */
export async function freeDevice(context: FleetContext, device: DeviceDocument): Promise<void> {
  const { lease } = device;
  if (lease?.ended === undefined || device.job !== undefined) return;
  // The person who has the phone has it for the holder of the lease. No hand-over begins once the lease is marked.
  if (device.handover !== undefined) await endHandover(context, device, { state: 'cancelled' });
  const { at, reason } = lease.ended;
  const free = { at, event: leaseEvent(lease, at, reason) };
  const next = await jobOfEnd(context, device, lease);
  const freed = await context.devices.leases.free(device, free, next);
  if (freed === undefined) return;
  if (freed.job === undefined) context.deviceEvents.soon();
  else context.dispatch.begin(freed);
  context.deviceNews.wake(device.accountId);
}

/** Returns the job that the lease has at its end. Undefined: there is none, as the device is in that state already. */
async function jobOfEnd(context: FleetContext, device: DeviceDocument, lease: DeviceLease) {
  const { clock } = context;
  const end = lease.atEnd === 'restore' ? await restoreOf(context, device, lease) : { kind: kindOfEnd(lease) };
  const { kind } = end;
  if (kind === undefined || !transitions[kind].from.includes(device.state)) return undefined;
  const job = newJob(clock, { ...end, kind, requestedBy: lease.keyId });
  const change = withStateEvent(device.state, { ...transitions[kind].change }, clock.now());
  return { job, from: [device.state], change };
}

/** Returns the kind of the job, other than a restore. A phone of a pool that others have used is of no use to the next one. */
function kindOfEnd({ atEnd, pool }: DeviceLease): 'stop' | 'delete' | undefined {
  if (pool !== undefined || atEnd === 'delete') return 'delete';
  return atEnd === 'stop' ? 'stop' : undefined;
}

/** Returns the restore. Where it cannot be, as for want of money, the phone is stopped instead, and one of a pool deleted. */
async function restoreOf(
  context: FleetContext,
  device: DeviceDocument,
  lease: DeviceLease,
): Promise<Pick<Job, 'snapshot' | 'template' | 'apps'> & { kind: 'restore' | 'stop' | 'delete' }> {
  const instead = lease.pool === undefined ? 'stop' : 'delete';
  try {
    const to = lease.pool === undefined ? await snapshotOf(context, lease) : await firstState(context, device);
    if (to === undefined) return { kind: instead };
    await assertActive(context.accounts, device.accountId);
    await assertMayRun(context, device);
    return { kind: 'restore', ...to };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { log } = context;
    log.info({ lease: lease.id, device: device.name, err: error }, 'a phone is not restored at the end of its lease');
    return { kind: instead };
  }
}

/** Returns the snapshot of the lease; undefined where it is not there any more. */
async function snapshotOf(
  { snapshots }: FleetContext,
  { snapshot = '' }: DeviceLease,
): Promise<Pick<Job, 'snapshot'> | undefined> {
  return (await snapshots.find(snapshot))?.state === 'ready' ? { snapshot } : undefined;
}
