import type { Call } from '../../kit/call.js';
import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import { phoneUnavailable } from '../../phone/link/phone-errors.js';
import type { KeptLink } from '../../phone/link/kept-link.js';
import type { ScreenLimits } from '../limits.js';
import type { ScreenMetrics } from '../metrics.js';
import { type Pixels, samePixels } from '../../phone/screen/pixels.js';
import { decodePng, findPng } from './png-screencap.js';
import { parseRawScreencap } from '../../phone/screen/raw-screencap.js';
import { SharedRuns } from './shared-runs.js';
import { UsualTime } from './usual-time.js';

/** One picture of the screen and the time it was taken. */
export interface Frame {
  /** The same object in two frames of an unchanged screen, so that its encoded images serve both. */
  pixels: Pixels;
  /** When it was requested and when it had arrived, on the clock's monotonic scale; the pixels are of a moment in between. */
  beganMs: number;
  endedMs: number;
  /** Wall-clock time of its end, ms since the epoch. */
  takenAt: number;
}

/** Two at once keep the phone busy while the other's pixels travel; more only queue on the phone. */
const CAPTURES_AT_ONCE = 2;

/** Takes pictures of one phone's screen; calls at the same time share them. */
export class Captures {
  readonly #link: KeptLink;
  readonly #clock: Clock;
  readonly #limits: ScreenLimits;
  readonly #runs: SharedRuns<Frame>;
  #last: Pixels | undefined;
  #forget: { cancel(): void } | undefined;
  /** False once the phone printed a raw format that cannot be read; then PNG is used. */
  #rawWorks = true;
  readonly #usual = new UsualTime();

  constructor(options: { link: KeptLink; clock: Clock; metrics: ScreenMetrics; limits: ScreenLimits }) {
    this.#link = options.link;
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#runs = new SharedRuns((signal) => options.metrics.capture(() => this.#capture(signal)), CAPTURES_AT_ONCE);
  }

  /** A picture that is not older than this call. */
  next(call: Pick<Call, 'signal'>): Promise<Frame> {
    return this.#runs.next(call);
  }

  /** What a capture has taken lately, ms; undefined before the first. */
  get usualMs(): number | undefined {
    return this.#usual.ms;
  }

  /** Releases the pixels. */
  close(): void {
    this.#forget?.cancel();
    this.#last = undefined;
  }

  async #capture(signal: AbortSignal): Promise<Frame> {
    const beganMs = this.#clock.monotonicMs();
    const taken = await this.#read(signal);
    const pixels = this.#last !== undefined && samePixels(this.#last, taken) ? this.#last : taken;
    this.#last = pixels;
    this.#forget?.cancel();
    this.#forget = this.#clock.after(this.#limits.pixelsKeptMs, () => (this.#last = undefined));
    const endedMs = this.#clock.monotonicMs();
    this.#usual.add(endedMs - beganMs);
    return { pixels, beganMs, endedMs, takenAt: this.#clock.now() };
  }

  async #read(signal: AbortSignal): Promise<Pixels> {
    const options = {
      timeoutMs: this.#limits.captureTimeoutMs,
      maxBytes: this.#limits.captureMaxBytes,
      doing: 'take a screenshot',
      signal,
    };
    // With several displays a warning is printed, which must not end up between the pixels.
    if (this.#rawWorks) {
      const raw = parseRawScreencap(await this.#link.exec('screencap 2>/dev/null', options));
      if (raw !== undefined) return raw;
    }
    const png = findPng(await this.#link.exec('screencap -p 2>/dev/null', options));
    try {
      if (png === undefined) throw new Error('no image in the output');
      const pixels = await decodePng(png);
      this.#rawWorks = false;
      return pixels;
    } catch (error) {
      if (error instanceof ApiError) throw error;
      this.#link.retire();
      throw phoneUnavailable('The phone sent a broken screenshot.', error);
    }
  }
}
