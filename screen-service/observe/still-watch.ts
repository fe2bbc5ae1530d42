import { changedArea } from '../capture/changed-area.js';
import type { Frame } from '../capture/captures.js';
import { looksLikeCaret, statusBarRows } from './masks.js';
import type { Rectangle } from '../shapes/rectangle.js';

/**
 * A caret-shaped change is believed to be a caret when nothing else changes for this long, ms. It is longer than the time between two
 * samples.
 */
const CARET_PROOF_MS = 100;

/**
 * How much before the end of the wait the last picture may have been requested, ms. Without this slack, each wait would last one capture
 * longer.
 */
const SLACK_MS = 60;

/**
 * The largest correction for the duration of a capture, ms. The correction is half the duration, so captures of up to twice this are
 * compared by the times of their requests. Slower captures vary more in duration, so their correction does not grow further.
 */
const SAME_MOMENT_MS = 60;

/**
 * Finds from a row of pictures since when a screen has been still. The status bar and a blinking caret do not count. A thin bar that grows
 * begins with the shape of a caret, so a caret-shaped change is trusted only when no other change follows it. Once it has blinked twice in
 * the same place, it is known to be a caret.
 */
export class StillWatch {
  readonly #density: number;
  #last: Frame | undefined;
  /** The capture that first showed the present screen. */
  #changedIn: Pick<Frame, 'beganMs' | 'endedMs'>;
  #suspect: { area: Rectangle; atMs: number; known: boolean } | undefined;
  #isSame = false;

  /** `startMs`: when the watching began; a screen that never changes has been still since then. */
  constructor(options: { density: number; startMs: number }) {
    this.#density = options.density;
    this.#changedIn = { beganMs: options.startMs, endedMs: options.startMs };
  }

  /** Takes in the next picture. Pictures come in the order in which they were begun. */
  see(frame: Frame): void {
    const last = this.#last;
    this.#last = frame;
    this.#isSame = true;
    const changed =
      last === undefined ? undefined : changedArea(last.pixels, frame.pixels, statusBarRows(this.#density));
    if (changed === undefined) return;
    if (looksLikeCaret(changed, this.#density) && this.#mayBeCaret(changed, frame)) return;
    this.#suspect = undefined;
    this.#changedIn = frame;
    this.#isSame = false;
  }

  /** The latest picture. */
  get frame(): Frame | undefined {
    return this.#last;
  }

  /** Whether the latest picture shows the same screen as the one before, or is the first. */
  get isSame(): boolean {
    return this.#isSame;
  }

  /**
   * The end of the capture that first showed the present screen. Everything that is requested later is of this screen, until the screen
   * changes.
   */
  get changedMs(): number {
    return this.#changedIn.endedMs;
  }

  /**
   * Returns whether the screen has been still for `ms`, as far as the pictures show. The last picture must have arrived that long after the
   * present screen was first seen. It must also have been requested almost that long after, so that it does not show a much earlier moment.
   */
  stillFor(ms: number): boolean {
    const last = this.#last;
    if (last === undefined) return false;
    const { sinceMs, slackMs } = this.#present;
    if (last.endedMs - sinceMs < ms || last.beganMs - sinceMs < ms - slackMs) return false;
    const suspect = this.#suspect;
    return suspect === undefined || suspect.known || last.endedMs - suspect.atMs >= Math.min(ms, CARET_PROOF_MS);
  }

  /**
   * Returns when a picture must be requested at the earliest to show that the screen has been still for `ms`, if the screen does not change
   * again; monotonic ms. `captureMs`: the usual time of a capture.
   */
  stillFromMs(ms: number, captureMs: number): number {
    const { sinceMs, slackMs } = this.#present;
    return sinceMs + ms - Math.min(slackMs, captureMs);
  }

  /** Since when the screen has been as it is. The pixels are of an unknown moment of the capture; its middle is assumed. */
  get #present(): { sinceMs: number; slackMs: number } {
    const { beganMs, endedMs } = this.#changedIn;
    const halfMs = (endedMs - beganMs) / 2;
    return { sinceMs: beganMs + halfMs, slackMs: SLACK_MS + Math.min(halfMs, SAME_MOMENT_MS) };
  }

  #mayBeCaret(area: Rectangle, frame: Frame): boolean {
    const suspect = this.#suspect;
    if (suspect === undefined) {
      this.#suspect = { area, atMs: frame.beganMs, known: false };
      return true;
    }
    const same =
      suspect.area.x === area.x &&
      suspect.area.width === area.width &&
      suspect.area.y === area.y &&
      suspect.area.height === area.height;
    if (same) suspect.known = true;
    return same;
  }
}
