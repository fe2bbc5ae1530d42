import type { PhoneDriver, PhoneEndpoint } from '../../../phone/driver.js';
import type { JobResult } from '../../store/device-document.js';
import type { DeviceChange } from '../../store/device-change.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { JobWork, SnapshotWork, TemplateWork, WorkKindWord } from '../../store/job-work.js';

/**
 * Does one kind of work on a phone, and returns once it is done. The phone runs, unless the work does not need that.
 *
 * A PhoneFailure is the phone's own final failure: it is the job's error, and the device goes on running, healthy. A JobFailure is the
 * same with another kind of error. After any other error the phone is inspected and the worker is called again, until the job's limit.
 *
 * The worker is also called again after a crash anywhere in it, or when the update that ends the job was lost. It must then find the work
 * done, and lead to the same end. It is never called twice at the same time for one job. But an earlier call, whose signal was aborted,
 * may not have returned yet.
 */
export type Worker<W extends JobWork> = (
  task: W extends SnapshotWork | TemplateWork ? PhoneTask<W> : WorkTask<W>,
) => Promise<WorkDone>;

/** Work on a phone, which may be off. */
export interface PhoneTask<W extends JobWork = JobWork> {
  work: W;
  /** The device as it was when the job was accepted; its `endpoint` may be out of date. */
  device: DeviceDocument;
  driver: PhoneDriver;
  /** Aborted when the job's time is up or the service closes. */
  signal: AbortSignal;
  /** Called with the progress, 0 to 100. */
  onProgress: (percent: number) => void;
}

/** Work on a phone that runs. */
export interface WorkTask<W extends JobWork = JobWork> extends PhoneTask<W> {
  /** The address of the phone's ADB, and the identity of the phone's present start. A link that is opened to it verifies the identity. */
  endpoint: PhoneEndpoint;
}

export interface WorkDone {
  /** The job's findings, for its caller. */
  result?: JobResult;
  /** The job's changes of the device; they are written with the end of the job. */
  change?: Pick<DeviceChange, 'exit'>;
}

/** The worker of each kind. */
export type Workers = { [K in WorkKindWord]: Worker<Extract<JobWork, { kind: K }>> };

/** Has the task done by the worker of its kind. `endpoint` is that of a running phone; undefined when the phone is off. */
export function doWork(workers: Workers, task: PhoneTask, endpoint: PhoneEndpoint | undefined): Promise<WorkDone> {
  const { work } = task;
  if (work.kind === 'snapshot') return workers.snapshot({ ...task, work });
  if (work.kind === 'template') return workers.template({ ...task, work });
  if (endpoint === undefined) throw new Error(`the work ${work.kind} needs a phone that runs`);
  switch (work.kind) {
    case 'install':
      return workers.install({ ...task, work, endpoint });
    case 'uninstall':
      return workers.uninstall({ ...task, work, endpoint });
    case 'network':
      return workers.network({ ...task, work, endpoint });
    case 'rotate':
      return workers.rotate({ ...task, work, endpoint });
  }
}
