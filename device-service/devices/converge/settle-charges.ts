import { databaseUnavailable } from '../../../kit/errors/database-unavailable.js';
import { problemSince } from '../../record/problems.js';
import { MAX_BOOKKEEPING_TRIES, MAX_PENDING_CHARGES } from '../limits.js';
import type { DeviceChange } from '../../store/device-change.js';
import type { DeviceDocument, PendingCharge } from '../../store/device-document.js';
import { appUnderWay } from './app-under-way.js';
import type { Decision } from './decision.js';
import type { ConvergeContext } from './converge-context.js';

const NOT_BOOKED = {
  kind: 'bookkeeping' as const,
  message:
    'The service could not complete the account of the phone’s last run or snapshot. It is tried again; the phone can be used ' +
    'meanwhile. The operator finds the reason in the log.',
};

/**
 * Does the bookkeeping that must come before a change is written. It charges the run that the change ends, marks an unfinished snapshot or
 * template as failed, and releases a hold. It gives back the month of a phone that was never made. After a crash in between, the run is
 * charged again with the same end, which changes nothing.
 *
 * A failure is thrown, so that the next pass tries again. After too many failures with the database in reach, returns the charges that are
 * left. The caller then writes the change with them as pending, so that the device is not busy for ever.
 */
export async function settleCharges(
  context: ConvergeContext,
  device: DeviceDocument,
  decision: Exclude<Decision, { step: unknown }>,
  signal: AbortSignal,
): Promise<PendingCharge | undefined> {
  const { bookkeepingFailures: failed, log } = context;
  const due = dueWith(device, decision);
  try {
    await settleCharge(context, device, due, signal);
  } catch (error) {
    const times = (failed.get(device._id) ?? 0) + 1;
    if (databaseUnavailable(error) !== undefined || times < MAX_BOOKKEEPING_TRIES) {
      if (databaseUnavailable(error) === undefined) failed.set(device._id, times);
      throw error;
    }
    log.error(
      { device: device.name, job: device.job?.id, ...due, err: error },
      'a run or job ends without its account',
    );
    failed.delete(device._id);
    return due;
  }
  failed.delete(device._id);
  return undefined;
}

/**
 * Charges a run, marks a snapshot or template as failed, releases a hold, and gives a month back, as far as `PendingCharge` names them. May be
 * repeated, as it leads to the same end.
 */
export async function settleCharge(
  { settle, release, refund, jobSnapshots, jobTemplates }: ConvergeContext,
  device: DeviceDocument,
  { startedAt, endedAt, release: hasHold, refund: isOwed, snapshotId, templateId }: PendingCharge,
  signal: AbortSignal,
): Promise<void> {
  if (startedAt !== undefined && endedAt !== undefined) await settle({ ...device, startedAt }, endedAt.getTime());
  if (snapshotId !== undefined) await jobSnapshots.workFailed(device, snapshotId, signal);
  if (templateId !== undefined) await jobTemplates.workFailed(device, templateId, signal);
  if (hasHold === true) await release(device);
  if (isOwed === true) await refund(device);
}

/** Returns the change that adds `unbooked` to the pending charges of a device. */
export function pendingChargeChange(device: DeviceDocument, unbooked: PendingCharge, nowMs: number): DeviceChange {
  return {
    unbooked: [...(device.unbooked ?? []), unbooked].slice(-MAX_PENDING_CHARGES),
    problem: problemSince(NOT_BOOKED, nowMs),
  };
}

function dueWith(device: DeviceDocument, { change, endMs, end }: Exclude<Decision, { step: unknown }>): PendingCharge {
  const { startedAt, job, wanted, plan, made } = device;
  const isNeverMade = end === 'done' && wanted === 'gone' && made !== true && plan === 'month';
  const isFailure = end !== undefined && end !== 'done';
  const ofWork = isFailure ? job?.work : undefined;
  // The phone of a job that failed at an app runs on.
  const isOff =
    end !== undefined &&
    (isFailure ? appUnderWay(device) === undefined : endMs !== undefined) &&
    change.state !== 'running';
  return {
    ...(endMs !== undefined && startedAt !== undefined && { startedAt, endedAt: new Date(endMs) }),
    ...(ofWork?.kind === 'snapshot' && { snapshotId: ofWork.snapshotId }),
    ...(ofWork?.kind === 'template' && { templateId: ofWork.templateId }),
    ...(ofWork === undefined && isOff && { release: true }),
    ...(isNeverMade && { refund: true }),
  };
}
