import { changedArea } from '../capture/changed-area.js';
import type { Frame } from '../capture/captures.js';
import { looksLikeCaret, statusBarRows } from './masks.js';
import type { Rectangle } from '../tree/rectangle.js';

/** A caret-shaped change is believed to be a caret when nothing else changes for this long, ms. Longer than two samples apart. */
const CARET_PROOF_MS = 100;

/** The last picture may have been requested this much before the end of the wait, ms. Without it each wait would last a capture longer. */
const SLACK_MS = 60;

/**
 * Of pictures that take up to twice this, ms, the times of their requests are compared, as their pixels are of the same moment within
 * each. Of slower ones, which take less evenly long, no more than this is allowed for it.
 */
const SAME_MOMENT_MS = 60;

/**
 * Finds from a row of pictures since when a screen has been still. The status bar does not count. A caret that blinks does not
 * count either; but a thin bar that grows begins with the same shape, so a caret-shaped change is trusted only when no other
 * change follows it, and known for good once it has blinked in the same place twice.
 */
export class StillWatch {
  readonly #density: number;
  #last: Frame | undefined;
  /** The capture that first showed the present screen. */
  #changedIn: Pick<Frame, 'beganMs' | 'endedMs'>;
  #suspect: { area: Rectangle; atMs: number; known: boolean } | undefined;

  /** `startMs`: when the watching began; a screen that never changes has been still since then. */
  constructor(options: { density: number; startMs: number }) {
    this.#density = options.density;
    this.#changedIn = { beganMs: options.startMs, endedMs: options.startMs };
  }

  /** Takes in the next picture. Pictures come in the order in which they were begun. */
  see(frame: Frame): void {
    const last = this.#last;
    this.#last = frame;
    const changed =
      last === undefined ? undefined : changedArea(last.pixels, frame.pixels, statusBarRows(this.#density));
    if (changed === undefined) return;
    if (looksLikeCaret(changed, this.#density) && this.#mayBeCaret(changed, frame)) return;
    this.#suspect = undefined;
    this.#changedIn = frame;
  }

  /** The latest picture. */
  get frame(): Frame | undefined {
    return this.#last;
  }

  /** End of the capture that first showed the present screen: later requests are of this screen, as long as it stays. */
  get changedMs(): number {
    return this.#changedIn.endedMs;
  }

  /**
   * Whether the screen has been still for `ms`, as far as the pictures show: the last one arrived that long after the present
   * screen was first seen, and was asked for almost that long after, so that it cannot show a much earlier moment.
   */
  stillFor(ms: number): boolean {
    const last = this.#last;
    if (last === undefined) return false;
    // Its pixels are of an unknown moment of the capture: the middle.
    const { beganMs, endedMs } = this.#changedIn;
    const halfMs = (endedMs - beganMs) / 2;
    const sinceMs = beganMs + halfMs;
    const slackMs = SLACK_MS + Math.min(halfMs, SAME_MOMENT_MS);
    if (last.endedMs - sinceMs < ms || last.beganMs - sinceMs < ms - slackMs) return false;
    const suspect = this.#suspect;
    return suspect === undefined || suspect.known || last.endedMs - suspect.atMs >= Math.min(ms, CARET_PROOF_MS);
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
