import type { WatchedPhone } from '../live/watched-phone.js';
import type { VideoForm } from '../live/video/scrcpy-session.js';
import { UnitQueue } from '../live/video/unit-queue.js';
import type { VideoUnit } from '../live/video/video-unit.js';
import type { UnitSource } from './unit-source.js';
import { WaitingUnits } from './waiting-units.js';

/**
 * The phone's own video, as one more viewer of it. Each unit is taken from the queue as soon as it is there, so a recording never counts as
 * a viewer that is too slow.
 */
export class PhoneVideo implements UnitSource {
  readonly #video: WatchedPhone['video'];
  readonly #queue = new UnitQueue();
  readonly #units = new WaitingUnits();
  readonly leave: () => void;

  constructor({ video }: Pick<WatchedPhone, 'video'>, form: VideoForm, onNews: () => void) {
    this.#video = video;
    const onUnits = (): void => {
      const { hasBegun } = this.#units;
      // A unit alone is no news, as the recording takes them each second. So a unit costs next to nothing.
      if (!this.#empty() || !hasBegun) onNews();
    };
    this.leave = video.watch({ form, units: this.#queue, onNews: onUnits });
    this.#empty();
  }

  get failing() {
    const { failure } = this.#units;
    return failure === undefined ? this.#video.failing : { error: failure, forMs: 0 };
  }

  get isOver(): boolean {
    const { hasBegun, failure } = this.#units;
    // A phone whose display is off has a video, but no picture to begin with.
    if (failure !== undefined || (!hasBegun && this.#video.isAsleep)) return true;
    return !this.#video.isOffered && (this.failing !== undefined || !hasBegun);
  }

  take(): VideoUnit[] {
    return this.#units.take();
  }

  /** Returns whether there was a unit. */
  #empty(): boolean {
    let hadUnit = false;
    for (let unit = this.#queue.shift(); unit !== undefined; unit = this.#queue.shift()) {
      hadUnit = true;
      this.#units.add(unit);
    }
    if (this.#queue.needsKey) this.#video.wantKey();
    return hadUnit;
  }
}
