import type { Call } from '../../kit/call.js';
import { ApiError } from '../../kit/errors.js';
import { phoneUnavailable } from '../../phone/link/phone-errors.js';
import { type Pixels, samePixels } from '../../phone/screen/pixels.js';
import type { ReachedPhone } from '../phones/reached-phone.js';
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
  readonly #phone: ReachedPhone;
  readonly #runs: SharedRuns<Frame>;
  #latest: Frame | undefined;
  #forget: { cancel(): void } | undefined;
  /** False once the phone printed a raw format that cannot be read; then PNG is used. */
  #rawWorks = true;
  readonly #usual = new UsualTime();

  constructor(phone: ReachedPhone) {
    this.#phone = phone;
    this.#runs = new SharedRuns((signal) => phone.metrics.capture(() => this.#capture(signal)), CAPTURES_AT_ONCE);
  }

  /** A picture that is not older than this call. */
  next(call: Pick<Call, 'signal'>): Promise<Frame> {
    return this.#runs.next(call);
  }

  /** The latest picture of the last seconds, whoever it was taken for; undefined when there is none. */
  get latest(): Frame | undefined {
    return this.#latest;
  }

  /** The time that captures have taken lately, ms; undefined before the first. */
  get usualMs(): number | undefined {
    return this.#usual.ms;
  }

  /** Releases the pixels. */
  close(): void {
    this.#forget?.cancel();
    this.#latest = undefined;
  }

  async #capture(signal: AbortSignal): Promise<Frame> {
    const { clock, limits } = this.#phone;
    const beganMs = clock.monotonicMs();
    const taken = await this.#read(signal);
    const last = this.#latest;
    const pixels = last !== undefined && samePixels(last.pixels, taken) ? last.pixels : taken;
    const endedMs = clock.monotonicMs();
    this.#usual.add(endedMs - beganMs);
    const frame = { pixels, beganMs, endedMs, takenAt: clock.now() };
    // Of two that were under way, the later one may have arrived first.
    if (last === undefined || last.beganMs <= beganMs) this.#latest = frame;
    this.#forget?.cancel();
    this.#forget = clock.after(limits.pixelsKeptMs, () => (this.#latest = undefined));
    return frame;
  }

  async #read(signal: AbortSignal): Promise<Pixels> {
    const { link, limits } = this.#phone;
    const { captureTimeoutMs: timeoutMs, captureMaxBytes: maxBytes } = limits;
    const options = { timeoutMs, maxBytes, doing: 'take a screenshot', signal };
    // With several displays a warning is printed, which must not end up between the pixels.
    if (this.#rawWorks) {
      const raw = parseRawScreencap(await link.exec('screencap 2>/dev/null', options));
      if (raw !== undefined) return raw;
    }
    const png = findPng(await link.exec('screencap -p 2>/dev/null', options));
    try {
      if (png === undefined) throw new Error('no image in the output');
      const pixels = await decodePng(png);
      this.#rawWorks = false;
      return pixels;
    } catch (error) {
      if (error instanceof ApiError) throw error;
      link.retire();
      throw phoneUnavailable('The phone sent a broken screenshot.', error);
    }
  }
}
