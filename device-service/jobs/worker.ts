import type { PhoneDriver, PhoneEndpoint } from '../../phone/driver.js';
import type { JobResult } from '../store/device-document.js';
import type { DeviceChange } from '../store/device-change.js';
import type { DeviceDocument } from '../store/devices.js';
import type { JobWork, WorkKindWord } from '../store/job-work.js';

/**
 * Does one kind of work on a phone, which runs unless the work does not need it, and returns once it is done.
 *
 * A worker that ends by PhoneFailure has the phone's own final failure: that is the job's error, and the device goes on running, healthy.
 * A JobFailure is the same with another kind of error. After any other error the phone is inspected and the worker is called again,
 * until the job's limit.
 *
 * It is also called again after a crash anywhere in it, or when the update that ends the job was lost: done work is found done, and
 * leads to the same end. It is never called twice at the same time for one job, except that a call whose signal was aborted may
 * still be on its way out.
 */
export type Worker<W extends JobWork = JobWork> = (task: WorkTask<W>) => Promise<WorkDone>;

export interface WorkTask<W extends JobWork = JobWork> {
  work: W;
  /** The device as it was when the job was accepted; its `endpoint` may be out of date. */
  device: DeviceDocument;
  /**
   * Where the phone's ADB listens now, and which start that is; a link that is opened to it verifies that. Nothing to go by for the work
   * of saving a snapshot, which a phone that is off has too.
   */
  endpoint: PhoneEndpoint;
  driver: PhoneDriver;
  /** Aborted when the job's time is up or the service closes. */
  signal: AbortSignal;
  /** 0 to 100. */
  onProgress: (percent: number) => void;
}

export interface WorkDone {
  /** The job's findings, for its caller. */
  result?: JobResult;
  /** Its changes of the device; written with the end of the job. */
  change?: Pick<DeviceChange, 'exit'>;
}

/** The worker of each kind. */
export type Workers = { [K in WorkKindWord]: Worker<Extract<JobWork, { kind: K }>> };
