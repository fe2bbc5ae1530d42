import { ApiError } from '../../kit/errors/api-error.js';
import type { VideoUnit } from '../live/video/video-unit.js';

/** Most bytes of units that wait. It is more than a phone's video may have in a second, after which they are taken. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** The units of a video that a recording has not taken yet. Where they are too many, they are dropped, and the recording has failed. */
export class WaitingUnits {
  #units: VideoUnit[] = [];
  #bytes = 0;
  #hasBegun = false;
  #failure: ApiError | undefined;

  /** Whether there was a unit. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Why there will be no more units: they were not taken in time. */
  get failure(): ApiError | undefined {
    return this.#failure;
  }

  add(unit: VideoUnit): void {
    this.#hasBegun = true;
    this.#bytes += unit.data.length;
    if (this.#bytes <= MAX_WAITING_BYTES && this.#failure === undefined) {
      this.#units.push(unit);
      return;
    }
    this.#units = [];
    this.#failure = new ApiError('unavailable', 'The recording was not stored as fast as the phone sent its video.');
  }

  /** Removes and returns the units, oldest first. */
  take(): VideoUnit[] {
    const units = this.#units;
    this.#units = [];
    this.#bytes = 0;
    return units;
  }
}
