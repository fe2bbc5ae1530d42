import type { Clock, Timer } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import type { WorkDone, Worker, Workers } from '../jobs/worker.js';
import { PROGRESS_MS } from '../limits.js';
import type { PhoneDrivers } from '../phones/phone-drivers.js';
import type { JobSnapshots } from '../snapshots/job-snapshots.js';
import type { Job } from '../store/device-document.js';
import type { DeviceDocument, DeviceStore } from '../store/devices.js';
import type { JobWork } from '../store/job-work.js';
import { endedIdentity, type Observation, type Step } from './reconcile.js';
import { type PrepareExit, takeStep, withLimit } from './take-step.js';

export interface PerformParts {
  devices: DeviceStore;
  drivers: PhoneDrivers;
  workers: Workers;
  prepareExit: PrepareExit;
  snapshots: JobSnapshots;
  clock: Clock;
  log: Log;
}

export interface Limits {
  signal: AbortSignal;
  /** By the clock's monotonic time. */
  deadlineMs: number;
}

/** Performs one step. Returns the state of the phone after it, and the findings of work. */
export async function perform(
  parts: PerformParts,
  step: Step,
  device: DeviceDocument,
  before: Observation | undefined,
  { signal, deadlineMs }: Limits,
): Promise<{ observed: Observation; worked: WorkDone }> {
  const { drivers, clock, prepareExit, snapshots } = parts;
  const driver = drivers.of(device);
  const same: Observation = { ...(before ?? { state: 'absent' }), after: step };
  const mostMs = deadlineMs - clock.monotonicMs();
  const progress = progressWriter(parts, device);
  try {
    if (step === 'check') {
      await snapshots.assertWhole(device, driver, signal);
      return { observed: same, worked: {} };
    }
    if (step === 'work') {
      const { work } = device.job as Job & { work: JobWork };
      const worker = parts.workers[work.kind] as Worker;
      // Undefined where the worker does not use it, see reconcileWork.
      const endpoint = (before?.state === 'running' ? before.endpoint : undefined) as never;
      const worked = await withLimit(clock, mostMs, signal, (limited) =>
        worker({ work, device, endpoint, driver, signal: limited, onProgress: progress.write }),
      );
      return { observed: same, worked };
    }
    const options = { signal, mostMs, onProgress: progress.write };
    const after = await takeStep({ driver, clock, prepareExit }, step, device, options);
    if (step === 'start' && after.state === 'running' && after.endpoint.identity === endedIdentity(device)) {
      // Tried again after a pause, until the job's limit.
      throw new Error('the driver started the phone without ending the start that a restart is to end');
    }
    return { observed: { ...after, after: step }, worked: {} };
  } finally {
    progress.stop();
  }
}

/**
 * Writes a job's progress at a bounded rate. A write that fails is made up for by the next one. Jobs that the service began
 * itself have no caller that follows them, and after a crash there is one for every phone, so their progress is not written.
 */
function progressWriter({ devices, clock, log }: PerformParts, device: DeviceDocument) {
  const { job } = device;
  let timer: Timer | undefined;
  return {
    write: (percent: number): void => {
      const rounded = Math.min(Math.round(percent), 99);
      if (job?.requestedBy === undefined || rounded <= job.progress) return;
      job.progress = rounded;
      timer ??= clock.after(PROGRESS_MS, () => {
        timer = undefined;
        devices
          .noteJob(device, { progress: job.progress })
          .catch((error: unknown) => log.debug({ job: job.id, err: error }, 'could not write progress'));
      });
    },
    stop: (): void => timer?.cancel(),
  };
}
