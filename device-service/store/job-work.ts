import type { DeviceExit } from './device-exit.js';

/**
 * The work of a job that does not turn its phone on or off. It is described completely, so that any process of the phone's host can do it,
 * or do it again after a crash. A new kind needs a member here, a row in `transitions` and in the limits, and a worker
 * (devices/jobs/worker.ts).
 */
export type JobWork = InstallWork | UninstallWork | NetworkWork | RotateWork | SnapshotWork | TemplateWork;

export interface InstallWork {
  kind: 'install';
  package: string;
  /** The app that a caller named, or the file that was uploaded for this job (devices/uploads/app-folders.ts). */
  from: AppSource | { upload: true };
}

/**
 * Where the file of an app that a caller named comes from: the host's catalogue, or the account's library. The checksum is that of the file
 * which the name had when the job was accepted.
 */
export type AppSource = { app: string } | { library: { name: string; sha256: string } };

/** An app that a job installs on the phone that it has made. */
export interface JobApp {
  /** As the caller named it. */
  app: string;
  package: string;
  from: AppSource;
}

export interface UninstallWork {
  kind: 'uninstall';
  package: string;
}

export interface NetworkWork {
  kind: 'network';
  exit: DeviceExit;
  /** Whether the caller chose no time zone. If so, the phone gets the time zone of the exit, if that is known. */
  zoneIsFree: boolean;
}

export interface RotateWork {
  kind: 'rotate';
}

/** The work of saving a snapshot. The phone may be off. */
export interface SnapshotWork {
  kind: 'snapshot';
  /** The snapshot to save. */
  snapshotId: string;
  label: string;
}

/** The work of making a template from a snapshot of the device, which the job names. The phone may be in any state. */
export interface TemplateWork {
  kind: 'template';
  /** The template to make. */
  templateId: string;
}

export type WorkKindWord = JobWork['kind'];
