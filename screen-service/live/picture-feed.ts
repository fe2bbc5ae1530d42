import type { ImageSpec } from '../capture/encode.js';
import type { WatchedPhone } from './watched-phone.js';
import type { FrameFeed, ReadyFrame } from './frame-feed.js';
import type { LiveFrame } from './live-screen.js';

/** Gives one viewer the newest picture of a screen, at most `fps` times a second. */
export class PictureFeed implements FrameFeed {
  readonly isOver = false;
  readonly #phoneSession: WatchedPhone;
  readonly #image: ImageSpec;
  readonly #everyMs: number;
  readonly leave: () => void;
  #shown: LiveFrame | undefined;
  #dueMs = -Infinity;

  constructor(phoneSession: WatchedPhone, image: ImageSpec, fps: number, onNews: () => void) {
    this.#phoneSession = phoneSession;
    this.#image = image;
    this.#everyMs = 1_000 / fps;
    this.leave = phoneSession.live.watch({ fps, exact: this.#exact, onNews });
  }

  get format() {
    return this.#image.format;
  }

  get failing() {
    return this.#phoneSession.live.failing;
  }

  next(): ReadyFrame | number | undefined {
    const newest = this.#phoneSession.live.newest(this.#exact);
    if (newest === undefined || newest === this.#shown) return undefined;
    const now = this.#phoneSession.clock.monotonicMs();
    if (now < this.#dueMs) return this.#dueMs - now;
    const { width, height, beganMs } = newest;
    const take = async () => {
      this.#shown = newest;
      this.#dueMs = Math.max(this.#dueMs, now - this.#everyMs / 2) + this.#everyMs;
      const { data } = await newest.encode(this.#image);
      return { data, contentType: `image/${this.#image.format}` };
    };
    return { form: `${this.format} ${width} ${height}`, codec: undefined, width, height, beganMs, take };
  }

  get #exact(): boolean {
    return this.#image.format === 'png';
  }
}
