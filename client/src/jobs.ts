import { CloudPhoneError } from './errors.js';
import type { components } from './openapi.js';

/** A long-running operation: `running`, then `done` or `failed`. */
export type Job = components['schemas']['Job'];

/** A job that ended as `failed`: `kind` and `message` are those of its error. */
export class JobFailedError extends CloudPhoneError {
  override readonly name = 'JobFailedError';
  readonly job: Job;

  constructor(job: Job) {
    const { error, message } = job.error ?? { error: 'internal', message: 'The job failed.' };
    super(message, { kind: error, status: 200 });
    this.job = job;
  }
}

export interface JobWait {
  /** Longest time to wait, ms. Absent: 600,000. */
  timeoutMs?: number;
  /** Longest time between two requests for the job, seconds, 1 to 60. Absent: 60; a request returns at once when the job ends. */
  requestWaitS?: number;
  /** Receives the job after each request. */
  onProgress?: (job: Job) => void;
  signal?: AbortSignal;
}

const TIMEOUT_MS = 600_000;

/** Longest time that the service holds a request for a job, seconds. */
const MAX_REQUEST_WAIT_S = 60;

/** Waits until a job has ended. While the job is running, the service holds each request of `requestJob` for up to `waitS` seconds. */
export async function waitForJob(
  requestJob: (waitS: number, signal: AbortSignal | undefined) => Promise<Job>,
  { timeoutMs = TIMEOUT_MS, requestWaitS = MAX_REQUEST_WAIT_S, onProgress, signal }: JobWait,
  nowMs: () => number,
): Promise<Job> {
  const deadlineMs = nowMs() + timeoutMs;
  for (;;) {
    const leftS = Math.max(0, Math.ceil((deadlineMs - nowMs()) / 1_000));
    const job = await requestJob(Math.min(requestWaitS, MAX_REQUEST_WAIT_S, leftS), signal);
    onProgress?.(job);
    if (job.state === 'done') return job;
    if (job.state === 'failed') throw new JobFailedError(job);
    if (nowMs() >= deadlineMs) {
      const message = `Job ${job.id} (${job.kind} of ${job.device}) has not ended within ${timeoutMs} ms and goes on. Wait for it again.`;
      throw new CloudPhoneError(message, { kind: 'timeout', status: 200 });
    }
  }
}
