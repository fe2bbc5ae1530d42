import type { DeviceExit } from './device-exit.js';

/**
 * Work of a job on a phone that does not change its power. It is described completely, so that any process of the phone's host can do it,
 * or do it again after a crash. A new kind is a member here, a row in `transitions` and in the limits, and a worker (jobs/worker.ts).
 */
export type JobWork = InstallWork | UninstallWork | NetworkWork | RotateWork | SnapshotWork;

export interface InstallWork {
  kind: 'install';
  package: string;
  /** An app of the host's catalogue, or the file that was uploaded for this job (apps/app-folders.ts). */
  from: { app: string } | { upload: true };
}

export interface UninstallWork {
  kind: 'uninstall';
  package: string;
}

export interface NetworkWork {
  kind: 'network';
  exit: DeviceExit;
  /** The caller chose no time zone, so that of the exit is taken where it is found out. */
  zoneIsFree: boolean;
}

export interface RotateWork {
  kind: 'rotate';
}

/** Also of a phone that is off. */
export interface SnapshotWork {
  kind: 'snapshot';
  /** The snapshot to save. */
  snapshotId: string;
  label: string;
}

export type WorkKindWord = JobWork['kind'];
