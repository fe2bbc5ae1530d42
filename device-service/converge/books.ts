import { databaseUnavailable } from '../../kit/database-unavailable.js';
import type { Log } from '../../kit/log.js';
import { problemSince } from '../health/problems.js';
import { MOST_BOOKKEEPING_TRIES, MOST_UNBOOKED } from '../limits.js';
import type { JobSnapshots } from '../snapshots/job-snapshots.js';
import type { DeviceChange } from '../store/device-change.js';
import type { DeviceDocument, Unbooked } from '../store/device-document.js';
import type { SettleRun } from './device-run.js';
import type { Decision } from './reconcile.js';

export interface BooksParts {
  settle: SettleRun;
  /** Ends the hold on the next minute of a phone that has stopped, or did not start. */
  release: (device: DeviceDocument) => Promise<void>;
  snapshots: Pick<JobSnapshots, 'workFailed'>;
  /** How often in a row the bookkeeping of a device failed, by phone. */
  bookkeepingFailures: Map<string, number>;
  log: Log;
}

const NOT_BOOKED = {
  kind: 'bookkeeping' as const,
  message:
    'The service could not complete the account of the phone’s last run or snapshot. It is tried again; the phone can be used ' +
    'meanwhile. The operator finds the reason in the log.',
};

/**
 * Does what has to be done before a change is written: the run that it ends is charged (a crash in between charges it again, with the same
 * end), a hold or an unfinished snapshot is let go. Returns the account where that failed so often, with the database in reach, that the
 * change is written without it, to be completed later: a device must not be kept busy for ever.
 */
export async function keepBooks(
  parts: BooksParts,
  device: DeviceDocument,
  decision: Exclude<Decision, { step: unknown }>,
  signal: AbortSignal,
): Promise<Unbooked | undefined> {
  const { bookkeepingFailures: failed, log } = parts;
  const due = dueWith(device, decision);
  try {
    await book(parts, device, due, signal);
  } catch (error) {
    const times = (failed.get(device._id) ?? 0) + 1;
    if (databaseUnavailable(error) !== undefined || times < MOST_BOOKKEEPING_TRIES) {
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

/** Completes an account. May be repeated: it leads to the same end. */
export async function book(
  { settle, release, snapshots }: BooksParts,
  device: DeviceDocument,
  { startedAt, endedAt, release: hasHold, snapshotId }: Unbooked,
  signal: AbortSignal,
): Promise<void> {
  if (startedAt !== undefined && endedAt !== undefined) await settle({ ...device, startedAt }, endedAt.getTime());
  if (snapshotId !== undefined) await snapshots.workFailed(device, snapshotId, signal);
  if (hasHold === true) await release(device);
}

/** Returns the change of a device that was left without an account. */
export function unbookedChange(device: DeviceDocument, unbooked: Unbooked, nowMs: number): DeviceChange {
  return {
    unbooked: [...(device.unbooked ?? []), unbooked].slice(-MOST_UNBOOKED),
    problem: problemSince(NOT_BOOKED, nowMs),
  };
}

function dueWith(
  { startedAt, job }: DeviceDocument,
  { change, endMs, end }: Exclude<Decision, { step: unknown }>,
): Unbooked {
  const isFailure = end !== undefined && end !== 'done';
  const ofWork = isFailure ? job?.work : undefined;
  const isOff = end !== undefined && (isFailure || endMs !== undefined) && change.state !== 'running';
  return {
    ...(endMs !== undefined && startedAt !== undefined && { startedAt, endedAt: new Date(endMs) }),
    ...(ofWork?.kind === 'snapshot' && { snapshotId: ofWork.snapshotId }),
    ...(ofWork === undefined && isOff && { release: true }),
  };
}
