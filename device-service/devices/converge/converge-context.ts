import type { Clock } from '../../../kit/async/clock.js';
import type { Log } from '../../../kit/log/log.js';
import type { SettleRun } from '../../record/device-run.js';
import type { EndedJob } from '../../record/ended-job.js';
import type { DeviceDocument, DeviceStore } from '../../store/devices.js';
import type { Workers } from '../jobs/worker.js';
import type { Mover } from '../moves/move-phone.js';
import type { PrepareExit } from '../network/network-context.js';
import type { PhoneDrivers } from '../phones/phone-drivers.js';
import type { JobSnapshots } from '../snapshots/job-snapshots.js';
import type { JobTemplates } from '../templates/job-templates.js';
import type { FailedRepairs } from './failed-repairs.js';
import type { MissedPhones } from './missed-phones.js';

/** The parts of the loop that keeps the phones of a host in their wanted states. */
export interface ConvergeContext {
  devices: DeviceStore;
  drivers: PhoneDrivers;
  hostId: string;
  /** The epoch of the host's lease: every write names it. */
  epoch: number;
  /** When the host's last process was last alive; undefined when it had none. */
  seenBefore: Date | undefined;
  /** Phones that are missing. It is read for each decision, as a phone may be found missing during a step. */
  missed: MissedPhones;
  failedRepairs: FailedRepairs;
  /** How often in a row the bookkeeping of a device failed, by phone. */
  bookkeepingFailures: Map<string, number>;
  workers: Workers;
  prepareExit: PrepareExit;
  jobSnapshots: JobSnapshots;
  jobTemplates: JobTemplates;
  mover: Pick<Mover, 'send' | 'arrive'>;
  /** Called with a device that was moved, when this process is no longer at work on its job. */
  onMoved: (device: DeviceDocument) => void;
  settle: SettleRun;
  /** Ends the hold on the next minute of a phone that has stopped, or did not start. */
  release: (device: DeviceDocument) => Promise<void>;
  /** Gives back the months of a phone that was never made. Doing it again changes nothing. */
  refund: (device: DeviceDocument) => Promise<void>;
  /** Returns whether a running phone could not be paid, and is stopped once no job is at work on it. */
  isUnpaid: (phoneId: string) => boolean;
  /** Ends the reservation of a device that was made, so that its payment is not given back. */
  keepPayment: (device: DeviceDocument) => Promise<void>;
  /** Called after a job has ended. */
  onEnded: (ended: EndedJob) => void;
  /** Called when a device has new events to publish. */
  onDeviceEvents: () => void;
  clock: Clock;
  log: Log;
}
