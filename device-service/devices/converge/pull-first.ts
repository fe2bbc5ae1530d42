import { begunAhead } from '../../../kit/async/begun-ahead.js';
import { unlessAborted, within } from '../../../kit/async/within.js';
import { type OperationOptions, type PhoneDriver, PhoneFailure } from '../../../phone/driver.js';
import type { Job } from '../../store/device-document.js';
import type { DeviceDocument } from '../../store/devices.js';
import { PULL_CHECK_MS, PULL_MS } from '../limits.js';
import type { ConvergeContext } from './converge-context.js';

/** Lets the driver fetch the image of a phone that is to be made or started, where its kind has images. */
export async function pullFirst(
  context: ConvergeContext,
  device: DeviceDocument,
  driver: PhoneDriver,
  limits: PullLimits,
  onProgress: (percent: number) => void,
): Promise<void> {
  if (driver.prepare === undefined) return;
  const prepare = driver.prepare.bind(driver);
  const { _id: phoneId, model } = device;
  await whileFetching(context, device, (options) => prepare({ phoneId, model }, options), limits, onProgress);
}

/** What a job fetches: the phase that it shows, and the longest time. */
export interface Fetched {
  phase: NonNullable<Job['phase']>;
  timeoutMs: number;
  /** What was not fetched in that time, for the customer. */
  what: string;
}

const IMAGE: Fetched = { phase: 'pulling', timeoutMs: PULL_MS, what: 'image of this model' };

export interface PullLimits {
  signal: AbortSignal;
  deadlineMs: number;
}

/**
 * Runs `fetch`, which may fetch something for the job of a device. While it fetches, the job shows the phase of that, and its deadline
 * moves with the time. A registry may hang, so the job is read again and again: a deletion replaces it (lifecycle/accept-delete.ts), and
 * the error that is thrown then ends the work on it.
 *
 * After a crash the next process fetches it again; an engine goes on with what it has.
 */
export async function whileFetching<T>(
  { devices, clock, log }: ConvergeContext,
  device: DeviceDocument,
  fetch: (options: OperationOptions) => Promise<T>,
  limits: PullLimits,
  onProgress: (percent: number) => void,
  { phase, timeoutMs, what }: Fetched = IMAGE,
): Promise<T> {
  const { _id: phoneId, job } = device;
  const cancelled = new AbortController();
  const over = new AbortController();
  let begunMs: number | undefined;
  const onFailure = (err: unknown): void => log.warn({ phone: phoneId, err }, 'the phase of a job cannot be written');
  const watch = async (): Promise<void> => {
    if (!(await devices.notePhase(device, phase))) cancelled.abort(new Error('the job was cancelled'));
    while (!over.signal.aborted) {
      await clock.sleep(PULL_CHECK_MS, over.signal);
      const read = await devices.findById(phoneId);
      if (read?.job?.id !== job?.id) cancelled.abort(new Error('the job was cancelled'));
    }
  };
  let watching = Promise.resolve();
  const onPulling = (): void => {
    if (begunMs !== undefined) return;
    begunMs = clock.monotonicMs();
    watching = begunAhead(watchUntil(watch, over.signal, onFailure));
  };
  const onTimeout = (): Error =>
    new PhoneFailure(
      `The ${what} was not fetched within ${timeoutMs / 60_000} minutes. Try again later, or inform the operator.`,
    );
  try {
    return await within({ clock, timeoutMs, onTimeout, signals: [limits.signal, cancelled.signal] }, (signal) =>
      unlessAborted(signal, fetch({ signal, onProgress, onPulling })),
    );
  } finally {
    over.abort(new Error('it is there'));
    await watching;
    if (begunMs !== undefined) limits.deadlineMs += clock.monotonicMs() - begunMs;
    if (begunMs !== undefined || job?.phase !== undefined)
      await devices.notePhase(device, undefined).catch((error: unknown) => onFailure(error));
  }
}

/** Repeats `watch` after a failure, such as that of the database, until the signal aborts. Never throws. */
async function watchUntil(watch: () => Promise<void>, over: AbortSignal, onFailure: (error: unknown) => void) {
  while (!over.aborted) {
    await watch().catch((error: unknown) => {
      if (!over.aborted) onFailure(error);
    });
  }
}
