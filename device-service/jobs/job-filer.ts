import type { Clock, Timer } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import type { JobEvents } from '../events/job-events.js';
import { FILE_AFTER_MS } from '../limits.js';
import type { FinishedJob } from '../store/device-document.js';
import type { DeviceDocument, DeviceStore } from '../store/devices.js';
import { JOB_KEPT_DAYS, type JobDocument, type JobStore } from '../store/jobs.js';

const DAY_MS = 86_400_000;

export interface JobFilerOptions {
  devices: DeviceStore;
  jobs: JobStore;
  events: JobEvents;
  clock: Clock;
  log: Log;
}

/**
 * Moves finished jobs from their devices' documents into the jobs collection, a little later and many at a time, so that nobody
 * waits for it. A crash before it leaves them with the device, where the next start finds them; a crash in its middle leaves them in
 * both places, which readers take as one.
 */
export class JobFiler {
  readonly #options: JobFilerOptions;
  #waiting: UnfiledJob[] = [];
  #timer: Timer | undefined;
  #filing: Promise<void> = Promise.resolve();

  constructor(options: JobFilerOptions) {
    this.#options = options;
  }

  /** Files a job that has been finished soon. */
  soon(job: UnfiledJob): void {
    this.#waiting.push(job);
    this.#timer ??= this.#options.clock.after(FILE_AFTER_MS, () => {
      this.#timer = undefined;
      this.#filing = this.#filing.then(() => this.#fileWaiting());
    });
  }

  /** Files finished jobs now. */
  async file(unfiled: readonly UnfiledJob[]): Promise<void> {
    if (unfiled.length === 0) return;
    const { devices, events, jobs } = this.#options;
    await jobs.file(unfiled.map((job) => (events.isPending(job._id) ? { ...job, eventPending: true } : job)));
    const ofPhones = new Map<string, { phoneId: string; jobIds: string[] }>();
    for (const job of unfiled) {
      const filed = ofPhones.get(job.phoneId) ?? { phoneId: job.phoneId, jobIds: [] };
      ofPhones.set(job.phoneId, filed);
      filed.jobIds.push(job._id);
    }
    await devices.forgetJobs([...ofPhones.values()]);
  }

  /** Files what waits and ends. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    await this.#filing;
    await this.#fileWaiting();
  }

  async #fileWaiting(): Promise<void> {
    const unfiled = this.#waiting;
    this.#waiting = [];
    try {
      await this.file(unfiled);
    } catch (error) {
      this.#options.log.warn({ err: error, jobs: unfiled.length }, 'could not file finished jobs; trying again');
      for (const job of unfiled) this.soon(job);
    }
  }
}

/** A finished job as it will be filed. */
export type UnfiledJob = Omit<JobDocument, 'eventPending'>;

/** A job that was finished on `device`, as it will be filed. */
export function toUnfiled(device: DeviceDocument, job: FinishedJob): UnfiledJob {
  return {
    _id: job.id,
    accountId: device.accountId,
    phoneId: device._id,
    device: device.name,
    deviceCreatedBy: device.createdBy,
    kind: job.kind,
    createdAt: job.createdAt,
    progress: job.progress,
    outcome: job.outcome,
    expiresAt: new Date(job.outcome.finishedAt.getTime() + JOB_KEPT_DAYS * DAY_MS),
  };
}

/** Finished jobs that are still with their device, oldest first. */
export function unfiledJobs(device: DeviceDocument): UnfiledJob[] {
  return device.finished?.map((job) => toUnfiled(device, job)) ?? [];
}
