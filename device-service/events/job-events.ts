import type { Client } from '@connectrpc/connect';
import type { Clock, Timer } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import type { Log } from '../../kit/log.js';
import type { EventService } from '../../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import type { UnfiledJob } from '../jobs/job-filer.js';
import { jobMessage } from '../jobs/job-message.js';
import { PUBLISH_AGAIN_MS, PUBLISH_FIRST_MS, PUBLISH_TIMEOUT_MS } from '../limits.js';
import type { JobStore } from '../store/jobs.js';
import { jobFinishedPayload } from './event-payload.js';

export interface JobEventsOptions {
  /** Absent: there is no webhook service, and so nobody to tell. */
  events: Client<typeof EventService> | undefined;
  jobs: JobStore;
  clock: Clock;
  log: Log;
}

/**
 * Tells the webhook service of finished jobs. The update that finishes a job is also what makes its event: from then on it is told
 * until the webhook service has it, at once and, where that fails or a crash comes between, from the filed job, which says that its
 * event is pending. Telling twice is no harm: the event's id is the job's.
 */
export class JobEvents {
  readonly #options: JobEventsOptions;
  /** Jobs told of and not filed yet: so that they are filed without a pending event. */
  readonly #told = new Set<string>();
  /** Jobs that are being told of, and whether they have been filed meanwhile, with their event pending. */
  readonly #telling = new Map<string, { filed: boolean }>();
  #timer: Timer | undefined;
  #closed = false;

  constructor(options: JobEventsOptions) {
    this.#options = options;
  }

  /** Begins to tell of what has not been told: soon what an earlier process left, then again and again what could not be told. */
  start(): void {
    if (this.#options.events === undefined) return;
    const tellAfter = (ms: number): void => {
      if (this.#closed) return;
      this.#timer = this.#options.clock.after(ms, () => {
        void this.tellPending().finally(() => tellAfter(PUBLISH_AGAIN_MS));
      });
    };
    tellAfter(PUBLISH_FIRST_MS);
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  /** Tells of a job that has just been finished. Never throws: what fails is told again later. */
  async finished(job: UnfiledJob): Promise<void> {
    if (this.#options.events === undefined) return;
    const telling = { filed: false };
    this.#telling.set(job._id, telling);
    try {
      await this.#publish(job);
      if (telling.filed) await this.#options.jobs.eventTold(job._id);
      else this.#told.add(job._id);
    } catch (error) {
      this.#options.log.warn({ job: job._id, err: error }, 'could not tell of a finished job; trying again later');
    } finally {
      this.#telling.delete(job._id);
    }
  }

  /** Whether the job is to be filed with its event pending. Forgets the job: it is asked once, when the job is filed. */
  isPending(jobId: string): boolean {
    if (this.#options.events === undefined || this.#told.delete(jobId)) return false;
    const telling = this.#telling.get(jobId);
    if (telling !== undefined) telling.filed = true;
    return true;
  }

  /** Tells of all that wait. One that cannot be told keeps no other waiting, unless nobody is there to be told. */
  async tellPending(): Promise<void> {
    const { jobs, log } = this.#options;
    try {
      for await (const job of jobs.eventsPending()) {
        const told = await this.#publish(job).then(
          () => true,
          (error: unknown) => {
            if (this.#closed || isAway(error)) throw error;
            log.error({ job: job._id, err: error }, 'a finished job cannot be told of');
            return false;
          },
        );
        if (told) await jobs.eventTold(job._id);
      }
    } catch (error) {
      log.warn({ err: error }, 'could not tell of finished jobs; trying again later');
    }
  }

  async #publish(job: UnfiledJob): Promise<void> {
    const event = {
      id: job._id,
      type: 'job.finished',
      accountId: job.accountId,
      device: job.device,
      deviceCreatedBy: job.deviceCreatedBy,
      payload: jobFinishedPayload(jobMessage({ ...job, id: job._id }), job.outcome.finishedAt),
    };
    await this.#options.events?.publish({ event }, { timeoutMs: PUBLISH_TIMEOUT_MS });
  }
}

/** Whether the webhook service is not there, or takes nothing just now. */
function isAway(error: unknown): boolean {
  return error instanceof ApiError && (error.kind === 'unavailable' || error.kind === 'timeout');
}
