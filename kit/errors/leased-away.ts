import { ApiError } from './api-error.js';

/** Ends the work of a caller on a device that another caller has leased since the work began. */
export class LeasedAway extends ApiError {
  override name = 'LeasedAway';

  /** `message` names the holder of the lease. */
  constructor(message: string) {
    super('busy', message);
  }
}
