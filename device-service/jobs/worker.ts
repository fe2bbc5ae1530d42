import type { Clock, Timer } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import type { Log } from '../../kit/log.js';
import { PhoneFailure } from '../../phone/driver.js';
import type { HealthEvents } from '../events/health-events.js';
import type { JobEvents } from '../events/job-events.js';
import { withHealthEvents } from '../health/problem-change.js';
import type { DeviceMetrics } from '../metrics.js';
import { JOB_POLL_MS, LEASE_MS, PROGRESS_MS, RENEW_MS } from '../limits.js';
import type { DeviceJob, FinishedJob, JobKindWord, JobOutcome } from '../store/device-document.js';
import type { DeviceChange, DeviceDocument, DeviceStore } from '../store/devices.js';
import type { JobBell } from './job-bell.js';
import { type JobFiler, toUnfiled } from './job-filer.js';

/** The work of one kind of job: does it and answers what it makes of the device. Every line of it is safe to do again. */
export type Work = (task: Task) => Promise<DeviceChange>;

export interface Task {
  /** The device as it was when the work began. */
  device: DeviceDocument;
  /** Aborted when the job is no longer this worker's, or the service closes. */
  signal: AbortSignal;
  /** 0 to 100. */
  progress: (percent: number) => void;
  /** Changes the device in the middle of the work. Throws when the job is no longer this worker's. */
  change(change: DeviceChange): Promise<void>;
}

export interface WorkerOptions {
  devices: DeviceStore;
  filer: JobFiler;
  events: JobEvents;
  healthEvents: HealthEvents;
  works: Record<JobKindWord, Work>;
  bell: JobBell;
  metrics: DeviceMetrics;
  clock: Clock;
  log: Log;
  hostId: string;
  /** Unique to this process. */
  workerId: string;
}

interface Running {
  device: DeviceDocument;
  job: DeviceJob;
  abort: AbortController;
  ended: Promise<void>;
}

/**
 * Runs the jobs of this host's devices. Each job is held by a lease with a fencing number; every write names the number, so a
 * worker that was replaced (it stalled, or was killed and another took over) changes nothing any more. A job whose process was
 * killed lapses and is taken again, from its beginning.
 */
export class JobWorker {
  readonly hostId: string;
  readonly workerId: string;
  readonly #options: WorkerOptions;
  readonly #running = new Map<string, Running>();
  #poll: Timer | undefined;
  #closed = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.hostId = options.hostId;
    this.workerId = options.workerId;
  }

  /** Kinds of the jobs that it is at work on. */
  get running(): JobKindWord[] {
    return [...this.#running.values()].map(({ job }) => job.kind);
  }

  /** Looks for jobs of this host that nobody has, now and again. */
  start(): void {
    const again = (): void => {
      if (this.#closed) return;
      this.#poll = this.#options.clock.after(JOB_POLL_MS, () => {
        void this.takeLapsed().finally(again);
      });
    };
    again();
  }

  /** Begins work on a job that was accepted with this worker's lease; one of another host is left to that host. */
  begin(device: DeviceDocument): void {
    const { job } = device;
    if (job === undefined || job.workerId !== this.workerId || this.#closed || this.#running.has(job.id)) return;
    const abort = new AbortController();
    const running: Running = { device, job, abort, ended: Promise.resolve() };
    this.#running.set(job.id, running);
    running.ended = this.#run(running).finally(() => this.#running.delete(job.id));
  }

  /** The device that this worker does the job on; undefined when it is not at work on such a job. */
  deviceOf(jobId: string): DeviceDocument | undefined {
    return this.#running.get(jobId)?.device;
  }

  /** Takes over what nobody has, as after a crash. */
  async takeLapsed(): Promise<void> {
    const { devices, clock, log } = this.#options;
    try {
      const now = new Date(clock.now());
      for (const { _id, job } of await devices.findLapsedJobs(this.hostId, now)) {
        if (job !== undefined) await this.take(_id, job);
      }
    } catch (error) {
      log.error({ err: error }, 'could not look for jobs');
    }
  }

  /** Takes a job from whoever has it and begins it anew. */
  async take(phoneId: string, job: DeviceJob): Promise<void> {
    if (this.#closed || this.#running.has(job.id)) return;
    const lease = { workerId: this.workerId, until: this.#leaseEnd() };
    const taken = await this.#options.devices.take(phoneId, job, lease);
    if (taken === undefined) return;
    this.#options.log.info({ job: job.id, device: taken.name, kind: job.kind }, 'took over a job');
    this.begin(taken);
  }

  /** Lets running jobs end for `drainMs`, then leaves them to be taken over. */
  async close(drainMs = 10_000): Promise<void> {
    this.#closed = true;
    this.#poll?.cancel();
    const ends = Promise.all([...this.#running.values()].map(({ ended }) => ended));
    const waited = new AbortController();
    await Promise.race([ends, this.#options.clock.sleep(drainMs, waited.signal).catch(() => undefined)]);
    waited.abort();
    for (const { abort } of this.#running.values()) abort.abort(new Error('closing'));
    await ends;
  }

  async #run(running: Running): Promise<void> {
    const { devices, clock, log, works } = this.#options;
    const { device, job, abort } = running;
    const startedMs = clock.monotonicMs();
    const pulse = this.#keepLease(running);
    const task: Task = {
      device,
      signal: abort.signal,
      progress: pulse.progress,
      change: async (change) => {
        running.device = (await devices.change(device._id, job, change)) ?? fail(abort);
      },
    };
    let outcome: JobOutcome;
    let change: DeviceChange;
    try {
      change = await works[job.kind](task);
      outcome = { state: 'done', finishedAt: new Date(clock.now()) };
    } catch (error) {
      if (abort.signal.aborted) {
        log.info({ job: job.id, reason: String(abort.signal.reason) }, 'left a job to another worker');
        return;
      } else {
        log.warn({ job: job.id, device: device.name, err: error }, 'job failed');
        const now = new Date(clock.now());
        const told = errorObject(error);
        outcome = { state: 'failed', finishedAt: now, error: told };
        change = {
          state: 'failed',
          address: null,
          startedAt: null,
          problem: { kind: job.kind, message: told.message, since: now },
        };
      }
    } finally {
      pulse.stop();
    }
    const { id, kind, createdAt } = job;
    const finished = { id, kind, createdAt, progress: outcome.state === 'done' ? 100 : pulse.percent(), outcome };
    await this.#finish(running, finished, withHealthEvents(running.device, change, clock.now()));
    log.info(
      {
        job: job.id,
        kind: job.kind,
        device: device.name,
        state: outcome.state,
        duration_ms: clock.monotonicMs() - startedMs,
      },
      'job finished',
    );
  }

  /** The update that finishes the job is the one that counts; what follows is safe to lose. */
  async #finish({ device, job }: Running, finished: FinishedJob, change: DeviceChange): Promise<void> {
    const { devices, bell, events, healthEvents, filer, metrics, log } = this.#options;
    try {
      if (!(await devices.finish(device._id, job, finished, change))) return;
      metrics.jobFinished(job, finished.outcome);
      // Before the bell, so that nobody comes to wait for it after it has rung.
      this.#running.delete(job.id);
      const unfiled = toUnfiled(device, finished);
      bell.ring(unfiled);
      void events.finished(unfiled);
      if (change.healthEvents !== undefined) void healthEvents.tell(device._id);
      filer.soon(unfiled);
    } catch (error) {
      // The database is away: the lease lapses, and the job is done again by whoever takes it.
      log.error({ job: job.id, err: error }, 'could not finish a job');
    }
  }

  /** Renews the lease while the work goes on, and writes its progress, at a bounded rate. */
  #keepLease({ device, job, abort }: Running) {
    const { devices, clock, log } = this.#options;
    let percent = job.progress;
    let stopped = false;
    let timer: Timer | undefined;
    let soon = false;
    const schedule = (ms: number): void => {
      timer?.cancel();
      if (!stopped) timer = clock.after(ms, renew);
    };
    const renew = (): void => {
      soon = false;
      devices
        .renew(device._id, job, this.#leaseEnd(), percent)
        .then((ours) => {
          if (!ours && !stopped) abort.abort(new Error('another worker has the job'));
        })
        .catch((error: unknown) => log.warn({ job: job.id, err: error }, 'could not renew a lease'))
        .finally(() => schedule(RENEW_MS));
    };
    schedule(RENEW_MS);
    return {
      percent: () => percent,
      progress: (value: number): void => {
        const rounded = Math.round(value);
        if (rounded <= percent) return;
        percent = Math.min(rounded, 99);
        if (!soon) schedule(PROGRESS_MS);
        soon = true;
      },
      stop: (): void => {
        stopped = true;
        timer?.cancel();
      },
    };
  }

  #leaseEnd(): Date {
    return new Date(this.#options.clock.now() + LEASE_MS);
  }
}

function fail(abort: AbortController): never {
  const reason = new Error('another worker has the job');
  abort.abort(reason);
  throw reason;
}

function errorObject(error: unknown): NonNullable<JobOutcome['error']> {
  if (error instanceof ApiError) return { error: error.kind, message: error.message };
  if (error instanceof PhoneFailure) return { error: 'unavailable', message: error.message };
  return {
    error: 'internal',
    message: 'Something went wrong on our side. Try again; if it persists, tell the operator the id of this job.',
  };
}
