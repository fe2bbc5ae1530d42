import type { PhoneConditions } from '../../phone/conditions.js';
import type { PhoneEndpoint } from '../../phone/driver.js';
import type { ErrorKind } from '../../kit/errors.js';
import type { ProblemKind } from '../health/problem-kinds.js';
import type { DeviceExit, ShownExit } from './device-exit.js';
import type { JobWork, WorkKindWord } from './job-work.js';

/**
 * A device with the job at work on it, in one document: so accepting a job, and finishing it together with the device's new state,
 * are each one atomic update. Finished jobs go from here to `jobs` (see events/finished-jobs.ts).
 *
 * `wanted` is the state that the customer requested last, `state` the one observed last; the loop of the device's host (converge/) makes
 * the second follow the first.
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
  /**
   * Fencing number: the epoch of the host's process that drives the device (see hosts/host-lease.ts). Every write of that process
   * names it with the host, so one that was replaced changes nothing.
   */
  fence: number;
  driver: string;
  /** The operator's phone that this device has, where phones are taken and not made. */
  slot?: string;
  /** `<host>/<driver>/<slot>`, unique; absent once the device is gone, which frees the phone. */
  slotKey?: string;
  model: string;
  android: string;
  plan: PlanWord;
  exit: DeviceExit;
  screen: { width: number; height: number; density: number };
  wanted: 'running' | 'stopped' | 'gone';
  state: DeviceStateWord;
  /** The phone was made. If it is absent from its host from then on, its data is lost. */
  made?: true;
  /** The phone is made of a snapshot, by the device's first job and by no other. */
  cloned?: true;
  /** Grows with each start. */
  generation: number;
  /** Where its adbd listens, and which start that is, while it runs. */
  endpoint?: PhoneEndpoint;
  /** Customers' ADB clients use the phone until then, as far as is known. Absent: none did. */
  adbLentUntil?: Date;
  /** Set while it runs. */
  startedAt?: Date;
  /**
   * When its phone was first missed, or its host's last process was last alive: a run that is over ended then. Absent while the phone
   * is known to run.
   */
  lostAt?: Date;
  minutes: RunningMinutes;
  /** Room that its phone takes on its host's disk, as last measured. Absent: not measured yet, or not on that disk. */
  storageBytes?: number;
  createdAt: Date;
  /** `key:value` of each, in the order of keys. Absent: it has none. */
  labels?: string[];
  /** What is done with it is kept (timeline/keep-entries.ts). */
  timeline?: true;
  /** After so many seconds without use it is stopped. Absent: never. */
  idleStopS?: number;
  /** When it was last used, to some seconds, as far as `idleStopS` needs it. */
  usedAt?: Date;
  /** The conditions that its phone is made to see; absent members: its own. See conditions/update-conditions.ts. */
  conditions?: PhoneConditions;
  problem?: DeviceProblem;
  /** Problems that began or ended, and new states, that the webhook service has not got yet, oldest first. */
  deviceEvents?: DeviceEvent[];
  /** The accounts of runs and jobs that ended without them, oldest first; see converge/late-books.ts. */
  unbooked?: Unbooked[];
  /** Deleted for good; kept only until its jobs have been filed and its events published. */
  gone?: true;
  /** The job at work on it. */
  job?: Job;
  /** Finished jobs that have not been filed yet, oldest first; a short list for a short time. */
  finished?: Job[];
}

/** What has to be done before a run or a job ends; each part only where it applies. */
export interface Unbooked {
  /** The run that is to be charged. */
  startedAt?: Date;
  endedAt?: Date;
  /** The hold on the phone's next minute is to end. */
  release?: true;
  /** The snapshot that was not saved, which is to be recorded so. */
  snapshotId?: string;
}

/** Why a device needs attention. */
export interface DeviceProblem {
  /** See health/problem-kinds.ts, which has the conditions that clear each kind. */
  kind: ProblemKind;
  message: string;
  since: Date;
}

/** A change of a device, for webhooks and streams. */
export type DeviceEvent = HealthEvent | StateEvent;

export interface HealthEvent {
  id: string;
  type: 'health.problem' | 'health.resolved';
  at: Date;
  problem: DeviceProblem;
}

export interface StateEvent {
  id: string;
  type: 'device.state';
  at: Date;
  state: DeviceStateWord;
}

export type DeviceStateWord = 'creating' | 'stopped' | 'starting' | 'running' | 'stopping' | 'deleting' | 'failed';
export type PlanWord = 'minute' | 'month';
export type JobKindWord = 'create' | 'start' | 'stop' | 'restart' | 'delete' | 'restore' | 'clone' | WorkKindWord;

/**
 * A customer's view of one change of a device. It is with its device while it runs (`DeviceDocument.job`) and shortly after
 * (`finished`), then in the jobs collection (JobDocument).
 */
export interface Job {
  id: string;
  kind: JobKindWord;
  /** The API key that requested it; absent when the service did (starting a lost phone again). */
  requestedBy?: string;
  createdAt: Date;
  /** 0 to 100. */
  progress: number;
  /** Whether a new device is to be started once it is made (kinds create and clone). */
  startAfter?: boolean;
  /** The snapshot that it begins from (kinds restore and clone). */
  snapshot?: string;
  /** When its snapshot was found whole (kinds restore and clone): a running phone is stopped for a restore from then on. */
  checkedAt?: Date;
  /** The phone holds the content of the snapshot, and is to be started (kind restore). */
  restored?: true;
  /** The work on the phone; absent: its power is changed, to the wanted state. */
  work?: JobWork;
  /** How often its work failed with an error that is tried again, and the error, for the operator. */
  retries?: number;
  lastError?: string;
  /** How many processes ended while they were at work on it. */
  takeovers?: number;
  /** Absent while it runs. */
  outcome?: JobOutcome;
}

export interface JobOutcome {
  state: 'done' | 'failed';
  finishedAt: Date;
  error?: { error: ErrorKind; message: string };
  result?: JobResult;
}

/** The findings of a job. */
export interface JobResult {
  address?: string;
  package?: string;
  version?: string;
  snapshot?: string;
  identity?: PhoneIdentity & { exit: ShownExit };
}

/** Identifiers of a phone, as it shows them itself; empty where it does not. */
export interface PhoneIdentity {
  serial: string;
  androidId: string;
  mac: string;
}

/** Begun UTC minutes of running, see devices/running-minutes.ts. */
export interface RunningMinutes {
  /** The UTC day that `count` is about, such as 2026-11-20. */
  day: string;
  count: number;
  /** The last minute counted, in minutes since the epoch. */
  through: number;
}
