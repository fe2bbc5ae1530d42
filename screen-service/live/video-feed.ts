import type { KeptPhone } from '../phones/kept-phone.js';
import type { FrameFeed, ReadyFrame } from './frame-feed.js';
import type { VideoForm } from './video/scrcpy-session.js';
import { UnitQueue } from './video/unit-queue.js';

/** Bits of the flags of a frame. */
const KEY_FRAME = 1;

/** The phone's video for one viewer: every unit, or the ones from a later key frame on where the viewer is too slow. */
export class VideoFeed implements FrameFeed {
  readonly format = 'h264';
  readonly #kept: KeptPhone;
  readonly #units = new UnitQueue();
  readonly leave: () => void;
  #hasBegun = false;

  constructor(kept: KeptPhone, form: VideoForm, onNews: () => void) {
    this.#kept = kept;
    this.leave = kept.video.watch({ form, units: this.#units, onNews });
  }

  get failing() {
    return this.#kept.video.failing;
  }

  get isOver(): boolean {
    const { video } = this.#kept;
    if (!this.#hasBegun && this.#units.head === undefined && video.isAsleep) return true;
    return !video.isOffered && (this.failing !== undefined || !this.#hasBegun);
  }

  next(): ReadyFrame | undefined {
    const unit = this.#units.head;
    if (unit === undefined) {
      if (this.#units.needsKey) this.#kept.video.wantKey();
      return undefined;
    }
    const { codec, width, height } = unit.configuration;
    const take = async () => {
      this.#hasBegun = true;
      this.#units.shift();
      return { data: unit.data, contentType: 'video/h264', flags: unit.isKey ? KEY_FRAME : 0 };
    };
    return { form: `h264 ${codec} ${width} ${height}`, codec, width, height, beganMs: unit.cameMs, take };
  }
}
