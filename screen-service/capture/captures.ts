import type { Call } from '../../kit/call/call.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { phoneUnavailable } from '../../phone/link/phone-errors.js';
import { type Pixels, samePixels } from '../../phone/screen/pixels.js';
import type { ReachedPhone } from '../link/reached-phone.js';
import { decodePng, findPng } from './png-screencap.js';
import { parseRawScreencap } from '../../phone/screen/raw-screencap.js';
import { SharedRuns } from '../link/shared-runs.js';
import { UsualTime } from '../link/usual-time.js';

/** One picture of the screen and the time it was taken. */
export interface Frame {
  /** The pixels. Two frames of an unchanged screen have the same object, so that its encoded images serve both. */
  pixels: Pixels;
  /** When it was requested and when it had arrived, on the clock's monotonic scale; the pixels are of a moment in between. */
  beganMs: number;
  endedMs: number;
  /** Wall-clock time of the end of the capture, ms since the epoch. */
  takenAt: number;
}

/** The phone takes one capture while the pixels of another travel. More would only queue on the phone. */
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

  /** Returns a picture that is not older than this call. */
  next(call: Pick<Call, 'signal'>): Promise<Frame> {
    return this.#runs.next(call);
  }

  /** The latest picture, whichever caller it was taken for. Undefined when none was taken in the last seconds. */
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
    // When two captures are under way, the one that began later may arrive first.
    if (last === undefined || last.beganMs <= beganMs) this.#latest = frame;
    this.#forget?.cancel();
    this.#forget = clock.after(limits.pixelsKeptMs, () => (this.#latest = undefined));
    return frame;
  }

  async #read(signal: AbortSignal): Promise<Pixels> {
    const { link, limits } = this.#phone;
    const { captureTimeoutMs: timeoutMs, maxCaptureBytes: maxBytes } = limits;
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
