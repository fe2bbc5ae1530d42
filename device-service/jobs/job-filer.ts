import type { Clock, Timer } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import type { JobEvents } from '../events/job-events.js';
import { FILE_AFTER_MS } from '../limits.js';
import type { DeviceJob } from '../store/device-document.js';
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
  readonly #waiting = new Set<string>();
  #timer: Timer | undefined;
  #filing: Promise<void> = Promise.resolve();

  constructor(options: JobFilerOptions) {
    this.#options = options;
  }

  /** Files the finished jobs of the phone soon. */
  soon(phoneId: string): void {
    this.#waiting.add(phoneId);
    this.#timer ??= this.#options.clock.after(FILE_AFTER_MS, () => {
      this.#timer = undefined;
      this.#filing = this.#filing.then(() => this.#fileWaiting());
    });
  }

  /** Files the finished jobs of `devices` now. */
  async file(devices: readonly DeviceDocument[]): Promise<void> {
    const { events, jobs } = this.#options;
    const finished = devices.map((device) => ({ device, jobs: finishedJobs(device) }));
    const documents = finished.flatMap((one) => one.jobs.map((job) => toJobDocument(one.device, job)));
    await jobs.file(documents.map((job) => (events.isPending(job._id) ? { ...job, eventPending: true } : job)));
    await Promise.all(
      finished.map(({ device, jobs }) => this.#options.devices.forgetJobs(device, jobs.map(({ id }) => id))), // prettier-ignore
    );
  }

  /** Files what waits and ends. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    await this.#filing;
    await this.#fileWaiting();
  }

  async #fileWaiting(): Promise<void> {
    const phoneIds = [...this.#waiting];
    this.#waiting.clear();
    if (phoneIds.length === 0) return;
    try {
      await this.file(await this.#options.devices.findByIds(phoneIds));
    } catch (error) {
      this.#options.log.warn({ err: error, phones: phoneIds.length }, 'could not file finished jobs; trying again');
      for (const phoneId of phoneIds) this.soon(phoneId);
    }
  }
}

export type FinishedJob = DeviceJob & { outcome: NonNullable<DeviceJob['outcome']> };

/** Finished jobs that are still with their device, oldest first. */
export function finishedJobs({ finished = [], job }: DeviceDocument): FinishedJob[] {
  return [...finished, ...(job === undefined ? [] : [job])].filter(
    (one): one is FinishedJob => one.outcome !== undefined,
  );
}

/** A finished job as it is filed. */
export function toJobDocument(device: DeviceDocument, { outcome, ...job }: FinishedJob): JobDocument {
  return {
    _id: job.id,
    accountId: device.accountId,
    phoneId: device._id,
    device: device.name,
    deviceCreatedBy: device.createdBy,
    kind: job.kind,
    createdAt: job.createdAt,
    progress: job.progress,
    outcome,
    expiresAt: new Date(outcome.finishedAt.getTime() + JOB_KEPT_DAYS * DAY_MS),
  };
}
