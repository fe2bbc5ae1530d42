import { ApiError } from '../../../kit/errors/api-error.js';
import { assertMayRun } from '../../accounts/billing/funds.js';
import { newJob } from '../../record/new-job.js';
import { withStateEvent } from '../../record/state-event.js';
import { transitions } from '../../record/transitions.js';
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
  const { at, reason } = lease.ended;
  const free = { at, event: leaseEvent(lease, at, reason) };
  const next = await jobOfEnd(context, device, lease);
  const freed = await context.devices.leases.free(device, free, next);
  if (freed === undefined) return;
  if (freed.job === undefined) context.deviceEvents.soon();
  else context.dispatch.begin(freed);
  context.leaseNews.wake();
}

/** Returns the job that the lease has at its end. Undefined: there is none, as the device is in that state already. */
async function jobOfEnd(context: FleetContext, device: DeviceDocument, lease: DeviceLease) {
  const { clock } = context;
  const kind = await kindOfEnd(context, device, lease);
  if (kind === undefined || !transitions[kind].from.includes(device.state)) return undefined;
  const { snapshot } = lease;
  const job = newJob(clock, {
    ...{ kind, requestedBy: lease.keyId },
    ...(kind === 'restore' && snapshot !== undefined && { snapshot }),
  });
  const change = withStateEvent(device.state, { ...transitions[kind].change }, clock.now());
  return { job, from: [device.state], change };
}

async function kindOfEnd(
  context: FleetContext,
  device: DeviceDocument,
  { id, atEnd, pool }: DeviceLease,
): Promise<'stop' | 'restore' | 'delete' | undefined> {
  // A phone that others have used is never ready again for the next one, unless it goes back to its first state.
  if (pool !== undefined && atEnd !== 'restore') return 'delete';
  if (atEnd === 'keep') return undefined;
  if (atEnd !== 'restore') return atEnd;
  try {
    await assertMayRun(context, device);
    return 'restore';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    context.log.info(
      { lease: id, device: device.name, err: error },
      'a phone is stopped at the end of its lease, as it cannot run',
    );
    return pool === undefined ? 'stop' : 'delete';
  }
}
