import { within } from '../../../kit/async/within.js';
import type { SnapshotDocument } from '../../store/snapshots.js';
import type { DevicesContext } from '../devices-context.js';
import { STEP_MS } from '../limits.js';
import { hostLimit } from './host-limit.js';

/** Removes the files of a snapshot or template that failed. An error is logged, and the sweep of the host tries again. */
export async function removeSavedFiles(
  { drivers, clock, log }: Pick<DevicesContext, 'drivers' | 'clock' | 'log'>,
  { _id, driver }: Pick<SnapshotDocument, '_id' | 'driver'>,
  signal: AbortSignal,
): Promise<void> {
  const files = drivers.of({ driver }).snapshots;
  try {
    await within(hostLimit(clock, STEP_MS.delete, signal), async () => files?.delete(_id));
  } catch (error) {
    signal.throwIfAborted();
    log.warn(
      { snapshot: _id, err: error },
      'could not remove the files of a snapshot or template that failed; trying again later',
    );
  }
}
