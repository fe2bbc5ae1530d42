import type { WatchedPhone } from './watched-phone.js';
import type { FrameFeed, ReadyFrame } from './frame-feed.js';
import type { VideoForm } from './video/scrcpy-session.js';
import { UnitQueue } from './video/unit-queue.js';

/** Bits of the flags of a frame. */
const KEY_FRAME = 1;

/** The feed of the phone's video for one viewer. The viewer gets every unit. If it is too slow, it goes on with a later key frame. */
export class VideoFeed implements FrameFeed {
  readonly format = 'h264';
  readonly #phoneSession: WatchedPhone;
  readonly #units = new UnitQueue();
  readonly leave: () => void;
  #hasBegun = false;

  constructor(phoneSession: WatchedPhone, form: VideoForm, onNews: () => void) {
    this.#phoneSession = phoneSession;
    this.leave = phoneSession.video.watch({ form, units: this.#units, onNews });
  }

  get failing() {
    return this.#phoneSession.video.failing;
  }

  get isOver(): boolean {
    const { video } = this.#phoneSession;
    if (!this.#hasBegun && this.#units.head === undefined && video.isAsleep) return true;
    return !video.isOffered && (this.failing !== undefined || !this.#hasBegun);
  }

  next(): ReadyFrame | undefined {
    const unit = this.#units.head;
    if (unit === undefined) {
      if (this.#units.needsKey) this.#phoneSession.video.wantKey();
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
