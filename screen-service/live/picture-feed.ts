import type { ImageSpec } from '../capture/encode.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import type { FrameFeed, ReadyFrame } from './frame-feed.js';
import type { LiveFrame } from './live-screen.js';

/** Pictures for one viewer: the newest, at most `fps` a second. */
export class PictureFeed implements FrameFeed {
  readonly isOver = false;
  readonly #kept: KeptPhone;
  readonly #image: ImageSpec;
  readonly #everyMs: number;
  readonly leave: () => void;
  #shown: LiveFrame | undefined;
  #dueMs = -Infinity;

  constructor(kept: KeptPhone, image: ImageSpec, fps: number, onNews: () => void) {
    this.#kept = kept;
    this.#image = image;
    this.#everyMs = 1_000 / fps;
    this.leave = kept.live.watch({ fps, exact: this.#exact, onNews });
  }

  get format() {
    return this.#image.format;
  }

  get failing() {
    return this.#kept.live.failing;
  }

  next(): ReadyFrame | number | undefined {
    const newest = this.#kept.live.newest(this.#exact);
    if (newest === undefined || newest === this.#shown) return undefined;
    const now = this.#kept.clock.monotonicMs();
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
