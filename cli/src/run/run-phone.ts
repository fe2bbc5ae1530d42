import type { Job } from '../service/types.js';

/** A phone of a run. */
export interface RunPhone {
  /** The phone, once the service has given it. */
  begun: Promise<BegunPhone>;
  /** Leaves it after the run. It never fails: what could not be done is reported with what to do. */
  leave: (hasSucceeded: boolean) => Promise<void>;
}

/** A phone that the service has given to a run. */
export interface BegunPhone {
  name: string;
  /** The job that makes or starts it. Undefined: it runs already. */
  job: Job | undefined;
  /** Aborted, with the reason, when the run has lost the phone. Undefined: the phone is not leased. */
  lost?: AbortSignal;
}
