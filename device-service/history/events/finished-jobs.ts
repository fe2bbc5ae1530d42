import type { Client } from '@connectrpc/connect';
import type { Clock, Timer } from '../../../kit/async/clock.js';
import type { Log } from '../../../kit/log/log.js';
import type { EventService } from '../../../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import { jobMessage } from '../../record/job-message.js';
import { MAX_DATABASE_RETRY_MS } from '../../record/limits.js';
import { FILE_AFTER_MS, PUBLISH_TIMEOUT_MS } from '../limits.js';
import type { DeviceStore } from '../../store/devices.js';
import { type JobDocument, type JobStore, unfiledJobs } from '../../store/jobs.js';
import { jobFinishedPayload } from './event-payload.js';
import { publishEach } from './publish-each.js';

export interface FinishedJobsOptions {
  devices: DeviceStore;
  jobs: JobStore;
  /** The webhook service. Absent: there are no subscribers to events. */
  events: Client<typeof EventService> | undefined;
  hostId: string;
  /**
   * Is called with each finished job that was left with its device. This process may not know that the job is finished, as it may have
   * missed the update's reply.
   */
  onFound: (job: JobDocument) => void;
  clock: Clock;
  log: Log;
}

/**
 * Takes a finished job from its device's document: publishes its event, then files it in the jobs collection, many at a time.
 *
 * The update that finishes a job also writes its event, so nothing is lost by a crash. The next process of the host publishes and files
 * each job that is still with its device (fileLeft). Publishing again is harmless, as the event's id is the job's. Where the webhook
 * service does not take an event, the job is filed with the event pending, which is published again every few seconds.
 */
export class FinishedJobs {
  readonly #options: FinishedJobsOptions;
  readonly #waiting = new Map<string, JobDocument>();
  /** Jobs that are being published, by id. */
  readonly #publishing = new Map<string, Promise<void>>();
  #isClosing = false;
  #fileTimer: Timer | undefined;
  #filing: Promise<void> = Promise.resolve();

  constructor(options: FinishedJobsOptions) {
    this.#options = options;
  }

  /**
   * Files the finished jobs that are still with this host's devices and that this process is not about to file. Their events are filed as
   * pending. Calls `onFound` for each. The loop that finished the job may have missed the reply to that update, and does not find the job
   * any more.
   */
  async fileLeft(): Promise<void> {
    const { devices, hostId, events, onFound } = this.#options;
    const left = (await devices.ofHost(hostId).findUnfiled()).flatMap(unfiledJobs);
    const ours = left.filter(({ _id }) => !this.#publishing.has(_id) && !this.#waiting.has(_id));
    await this.#file(ours.map((job) => (events === undefined ? job : { ...job, eventPending: true })));
    for (const job of ours) onFound(job);
    await devices.ofHost(hostId).forgetGone();
  }

  /** Publishes and files a job that has just been finished. Never throws. */
  add(job: JobDocument): void {
    const published = this.#publish(job)
      .then(
        () => this.#fileAfter(FILE_AFTER_MS, job),
        (error: unknown) => {
          this.#options.log.warn({ job: job._id, err: error }, 'could not publish a finished job; trying again later');
          this.#fileAfter(FILE_AFTER_MS, { ...job, eventPending: true });
        },
      )
      .finally(() => this.#publishing.delete(job._id));
    this.#publishing.set(job._id, published);
  }

  /** Publishes and files the jobs that were added. The next process publishes the pending events. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all(this.#publishing.values());
    this.#fileTimer?.cancel();
    await this.#filing;
    await this.#fileWaiting();
  }

  /** Publishes the events of jobs that were filed with their event pending. */
  async publishPending(signal: AbortSignal): Promise<void> {
    const { jobs, events, log } = this.#options;
    if (events === undefined) return;
    const publish = (job: JobDocument): Promise<void> => this.#publish(job, signal);
    await publishEach(jobs.eventsPending(), { publish, note: ({ _id }) => jobs.eventPublished(_id) }, { signal, log });
  }

  async #publish(job: JobDocument, signal?: AbortSignal): Promise<void> {
    const event = {
      id: job._id,
      type: 'job.finished',
      accountId: job.accountId,
      device: job.device,
      deviceCreatedBy: job.deviceCreatedBy,
      deviceLabels: job.deviceLabels ?? [],
      payload: jobFinishedPayload(jobMessage({ ...job, id: job._id }), job.outcome.finishedAt),
    };
    await this.#options.events?.publish({ event }, { timeoutMs: PUBLISH_TIMEOUT_MS, ...(signal && { signal }) });
  }

  #fileAfter(ms: number, ...jobs: readonly JobDocument[]): void {
    for (const job of jobs) this.#waiting.set(job._id, job);
    if (this.#isClosing) return;
    this.#fileTimer ??= this.#options.clock.after(ms, () => {
      this.#fileTimer = undefined;
      this.#filing = this.#filing.then(() => this.#fileWaiting()).catch(this.#onFilingError);
    });
  }

  /** Reports jobs that could not be filed a second time. The next process of the host files them. */
  readonly #onFilingError = (error: unknown): void =>
    this.#options.log.error({ err: error }, 'finished jobs stay with their devices');

  async #fileWaiting(): Promise<void> {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    try {
      await this.#file(waiting);
    } catch (error) {
      this.#options.log.warn({ err: error, jobs: waiting.length }, 'could not file finished jobs; trying again');
      this.#fileAfter(MAX_DATABASE_RETRY_MS, ...waiting);
    }
  }

  /** Files jobs by an insert that may be repeated, then removes them from their devices. */
  async #file(finished: readonly JobDocument[]): Promise<void> {
    if (finished.length === 0) return;
    const { devices, jobs } = this.#options;
    await jobs.file(finished);
    const ofPhones = new Map<string, { phoneId: string; jobIds: string[] }>();
    for (const { _id, phoneId } of finished) {
      const filed = ofPhones.get(phoneId) ?? { phoneId, jobIds: [] };
      ofPhones.set(phoneId, filed);
      filed.jobIds.push(_id);
    }
    await devices.forgetJobs([...ofPhones.values()]);
  }
}
