import type { PhoneEndpoint, PhoneExit } from '../../phone/driver.js';
import type { ErrorKind } from '../../kit/errors.js';

/**
 * A device with the job that is at work on it, in one document: so accepting a job, and finishing it together with the device's
 * new state, are each one atomic update. Finished jobs go from here to `jobs` (see store/jobs.ts).
 */
export interface DeviceDocument {
  /** The phone id: never used again, unlike the name. */
  _id: string;
  accountId: string;
  name: string;
  /** `<account>/<name>`, unique; absent once the device is gone, which frees the name. */
  nameKey?: string;
  /** The API key that made it; that key always sees it. */
  createdBy: string;
  /** The host that the phone lives on. */
  hostId: string;
  driver: string;
  model: string;
  android: string;
  plan: PlanWord;
  exit: PhoneExit;
  screen: { width: number; height: number; density: number };
  state: DeviceStateWord;
  /** Grows with each start. */
  generation: number;
  /** Where its adbd listens, while it runs. */
  address?: PhoneEndpoint;
  /** Set while it runs. */
  startedAt?: Date;
  minutes: RunningMinutes;
  createdAt: Date;
  problem?: DeviceProblem;
  /** Problems that began or ended and that the webhook service has not been told of, oldest first. */
  healthEvents?: HealthEvent[];
  /** Deleted for good; kept only until its jobs have been filed and its problems have been told. */
  gone?: true;
  /** The job at work on it. */
  job?: DeviceJob;
  /** Finished jobs that have not been filed yet, oldest first; a short list for a short time. */
  finished?: FinishedJob[];
}

/** Why a device needs attention. */
export interface DeviceProblem {
  kind: string;
  message: string;
  since: Date;
}

export interface HealthEvent {
  id: string;
  type: 'health.problem' | 'health.resolved';
  at: Date;
  problem: DeviceProblem;
}

export type DeviceStateWord = 'creating' | 'stopped' | 'starting' | 'running' | 'stopping' | 'deleting' | 'failed';
export type PlanWord = 'minute' | 'month';
export type JobKindWord = 'create' | 'start' | 'stop' | 'restart' | 'delete';

export interface DeviceJob {
  id: string;
  kind: JobKindWord;
  /** The API key that asked for it; absent when the service did (bringing a phone back). */
  requestedBy?: string;
  createdAt: Date;
  progress: number;
  /** Whether a new device is to be started once it is made (kind create). */
  startAfter?: boolean;
  /** Grows with each worker that takes the job. Every write of a worker names it, so one that was replaced has no effect. */
  fence: number;
  /** The worker that has it, and until when unless it says so again. Absent: nobody has. */
  workerId?: string;
  leaseUntil?: Date;
}

/** What is kept of a job from the update on that finished it, which is also the one of the device's new state. */
export interface FinishedJob extends Pick<DeviceJob, 'id' | 'kind' | 'createdAt' | 'progress'> {
  outcome: JobOutcome;
}

export interface JobOutcome {
  state: 'done' | 'failed';
  finishedAt: Date;
  error?: { error: ErrorKind; message: string };
  result?: { address?: string };
}

/** Begun UTC minutes of running, see devices/running-minutes.ts. */
export interface RunningMinutes {
  /** The UTC day that `count` is about, such as 2026-11-20. */
  day: string;
  count: number;
  /** The last minute counted, in minutes since the epoch. */
  through: number;
}
