import type { PhoneConditions } from '../../phone/conditions.js';
import type { PhoneEndpoint } from '../../phone/driver.js';
import type { PhoneFacts } from '../../phone/upgrades/phone-upgrades.js';
import type { ErrorKind } from '../../kit/errors/api-error.js';
import type { ProblemKind } from './problem-kinds.js';
import type { DeviceExit, ShownExit } from './device-exit.js';
import type { JobApp, JobWork, WorkKindWord } from './job-work.js';
import type { DeviceHandover, HandoverEvent, PastHandover } from './handover.js';
import type { DeviceLease, DevicePool, LeaseEvent } from './lease.js';

/**
 * A device and the job at work on it, in one document. So one atomic update accepts a job, and one finishes the job together with the
 * device's new state. Finished jobs go from here to `jobs` (see history/events/finished-jobs.ts).
 *
 * `wanted` is the state that the customer requested last, and `state` is the one observed last. The loop of the device's host (converge/)
 * makes the second follow the first.
 */
export interface DeviceDocument {
  /** The phone id, which is never used again, unlike the name. */
  _id: string;
  accountId: string;
  name: string;
  /** `<account>/<name>`, unique; absent once the device is gone, which frees the name. */
  nameKey?: string;
  /** The API key, or the member in a session (`mem_…`), that made the device and sees it. Older releases noted the session. */
  createdBy: string;
  /** The host on which the phone runs. */
  hostId: string;
  /**
   * Fencing number: the epoch of the host's process that drives the device (see devices/hosts/host-lease.ts). Every write of that process
   * names it together with the host, so a process that was replaced changes nothing.
   */
  fence: number;
  driver: string;
  /** The operator's phone that this device uses. Absent where the driver makes its phones. */
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
  /** The phone was made. If the host does not have it later, its data is lost. */
  made?: true;
  /** The phone is made from a snapshot or a template, by the device's first job and by no other. */
  cloned?: true;
  /** Grows with each start. */
  generation: number;
  /** Address of the phone's ADB, and the identity of its present start, while it runs. */
  endpoint?: PhoneEndpoint;
  /** Until when customers' ADB clients use the phone, as far as is known. Absent: none has used it. */
  adbLentUntil?: Date;
  /** When the present run began. Set while the phone runs. */
  startedAt?: Date;
  /**
   * When the phone was first missed, or its host's last process was last alive. If the run is over, it ended at that time. Absent while
   * the phone is known to run.
   */
  lostAt?: Date;
  minutes: RunningMinutes;
  /** The room that the phone takes on its host's disk, as last measured. Absent: not measured yet, or not on that disk. */
  storageBytes?: number;
  createdAt: Date;
  /** Labels as `key:value`, in the order of their keys. Absent: there are none. */
  labels?: string[];
  /** The timeline is on: what is done with the device is stored (history/timeline/keep-entries.ts). */
  timeline?: true;
  /** The device is stopped after so many seconds without use. Absent: never. */
  idleStopS?: number;
  /** When the device was last used, exact to some seconds. It is kept for `idleStopS` only. */
  usedAt?: Date;
  /** The conditions that the phone is made to see. Absent members are the phone's own. See devices/conditions/update-conditions.ts. */
  conditions?: PhoneConditions;
  problem?: DeviceProblem;
  /** Times of its runs that are not charged, oldest first: another phone was at its address. Absent: none. */
  free?: { from: Date; to: Date }[];
  /** Problems that began or ended, and new states, that the webhook service does not have yet, oldest first. */
  deviceEvents?: DeviceEvent[];
  /** The bookkeeping that runs and jobs left when they ended, oldest first; see devices/converge/pending-charges.ts. */
  unbooked?: PendingCharge[];
  /** Hosts that the phone has moved away from, and that have not removed its files yet. Absent: there are none. */
  leftAt?: { hostId: string }[];
  /** Who has the device for itself. Absent: nobody. */
  lease?: DeviceLease;
  /** When its last lease ended. Absent: it was never leased. */
  leaseEndedAt?: Date;
  /** The hand-over to a person that has not ended. Absent: there is none. */
  handover?: DeviceHandover;
  /** The last hand-overs that have ended, oldest first. */
  pastHandovers?: PastHandover[];
  /** The pool that the device belongs to. Absent: none. */
  pool?: DevicePool;
  /** `<pool id>/<number below the pool's most>`, unique; absent once the device is gone. So a pool never has too many phones. */
  poolSlotKey?: string;
  /** The device is deleted for good. Its document exists only until its jobs have been filed and its events published. */
  gone?: true;
  /** The job at work on the device. */
  job?: Job;
  /** Finished jobs that have not been filed yet, oldest first. There are few of them, for a short time. */
  finished?: Job[];
}

/** The work that has to be done at the end of a run or a job. Each member is present only where it applies. */
export interface PendingCharge {
  /** The start of the run that is to be charged. */
  startedAt?: Date;
  endedAt?: Date;
  /** The hold on the phone's next minute is to end. */
  release?: true;
  /** The months of a phone that was never made are to be given back. */
  refund?: true;
  /** The snapshot that was not saved, which has to be marked as failed. */
  snapshotId?: string;
  /** The same for a template. */
  templateId?: string;
}

/** The reason why a device needs attention. */
export interface DeviceProblem {
  /** The kind; store/problem-kinds.ts has the conditions that clear each kind. */
  kind: ProblemKind;
  message: string;
  since: Date;
}

/** A change of a device, for webhooks and streams. */
export type DeviceEvent = HealthEvent | StateEvent | LeaseEvent | HandoverEvent;

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
export type JobKindWord =
  'create' | 'start' | 'stop' | 'restart' | 'delete' | 'restore' | 'clone' | 'move' | 'upgrade' | WorkKindWord;

/**
 * A customer's view of one change of a device. The job is in its device while it runs (`DeviceDocument.job`) and shortly after
 * (`finished`). Then it is in the jobs collection (JobDocument).
 */
export interface Job {
  id: string;
  kind: JobKindWord;
  /** The API key that requested the job; absent when the service itself did, to start a lost phone again. */
  requestedBy?: string;
  /** The group whose step it is. Absent: it is no step. */
  groupId?: string;
  createdAt: Date;
  /** The progress, 0 to 100. */
  progress: number;
  /** What the job waits for at present. Absent: its own work. */
  phase?: 'pulling' | 'copying';
  /** Whether a new device is to be started once it is made (kinds create and clone). */
  startAfter?: boolean;
  /** The snapshot from which the job begins (kinds restore, clone and template). */
  snapshot?: string;
  /** The id of the template from which the phone is made (kind create), or to which it goes back (kind restore). Absent: none. */
  template?: string;
  /**
   * When the snapshot or template was found whole (kinds restore, clone and create), or the new image was there (kind upgrade). From then on, a running phone is
   * stopped for the job.
   */
  checkedAt?: Date;
  /** The phone holds the content of the snapshot, and is to be started (kind restore). */
  restored?: true;
  /** Where the phone goes (kind move). */
  move?: JobMove;
  /** How far the phone has got with its new image (kind upgrade). */
  upgrade?: JobUpgrade;
  /** The apps that are installed once the new phone runs, one after the other (kinds that make a phone). Absent: none. */
  apps?: JobApp[];
  /** How many of them are installed. Absent: none yet. */
  appsInstalled?: number;
  /** The work on the phone; absent: the job changes the phone's power, to the wanted state. */
  work?: JobWork;
  /** How often the work failed with an error that allows another try, and the last such error, for the operator. */
  retries?: number;
  lastError?: string;
  /** How many processes ended while they were at work on the job. */
  takeovers?: number;
  /** The outcome; absent while the job is at work. */
  outcome?: JobOutcome;
}

/** The way of a phone to another host; devices/moves/move-phone.ts has its steps. */
export interface JobMove {
  from: string;
  to: string;
  /** The device belongs to the host `to`, which has the whole copy. */
  arrived?: true;
  /** Why the phone stays. A device that ran is started again before the job fails with this error. */
  refused?: { error: ErrorKind; message: string };
}

/** A phone that gets the present image of its model; devices/converge/reconcile-upgrade.ts has its steps. */
export interface JobUpgrade {
  /** The step that comes next, or is under way. */
  step: UpgradeStepWord;
  /** The facts of the phone before the upgrade. Absent until they were read. */
  before?: PhoneFacts;
  /** The Android version that the model names. Absent until the phone has the image. */
  android?: string;
  /** Why the phone has its old image again. A device that ran is started again before the job fails with this error. */
  refused?: { error: ErrorKind; message: string };
}

export type UpgradeStepWord =
  'fetch' | 'survey' | 'stop' | 'copy' | 'image' | 'boot' | 'check' | 'drop' | 'back' | 'end';

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
  template?: string;
  identity?: PhoneIdentity & { exit: ShownExit };
  installed?: string[];
  leftOut?: { file: string; reason: string }[];
  leftOutMore?: number;
  obb?: string[];
  android?: string;
}

/** Identifiers that a phone itself shows; each is empty where the phone does not show it. */
export interface PhoneIdentity {
  serial: string;
  androidId: string;
  mac: string;
}

/** Counts the minutes of the UTC clock in which the phone ran; see record/running-minutes.ts. */
export interface RunningMinutes {
  /** The UTC day that `count` is for, such as 2026-11-20. */
  day: string;
  count: number;
  /** The last minute counted, in minutes since the epoch. */
  through: number;
}

/** Returns the value of the field `nameKey`, which is unique to an account's device of this name. */
export function nameKey(accountId: string, name: string): string {
  return `${accountId}/${name}`;
}
