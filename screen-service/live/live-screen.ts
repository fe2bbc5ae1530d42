import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Timer } from '../../kit/async/clock.js';
import type { Pixels } from '../../phone/screen/pixels.js';
import type { Captures, Frame } from '../capture/captures.js';
import type { EncodedImage, ImageSpec } from '../capture/encode.js';
import type { Images } from '../capture/images.js';
import type { MinicapFrame, MinicapSource } from '../capture/minicap/minicap-source.js';
import type { ReachedPhone } from '../link/reached-phone.js';

/** A picture of a watched screen. */
export interface LiveFrame {
  /** Width of the captured picture, before it is scaled down, pixels. It follows the rotation of the screen. */
  width: number;
  height: number;
  /** When the capture began, on the clock's monotonic scale: the picture is not older. */
  beganMs: number;
  /** Its pixels. Absent for a frame that the phone pushed, which it has compressed. */
  pixels?: Pixels;
  /** Encodes it; the same image is made once for all viewers. */
  encode(spec: ImageSpec): Promise<EncodedImage>;
}

/** The sources of the pictures, and the images that all viewers share. */
export interface LiveSources {
  captures: Captures;
  images: Images<Pixels>;
  minicap: Pick<MinicapSource, 'want'>;
  minicapImages: Images<MinicapFrame>;
}

/** A stream that watches the screen. */
export interface Viewer {
  /** Most frames a second that it takes. */
  fps: number;
  /** Whether the viewer gets lossless pixels (PNG). Frames that the phone has compressed are of no use to it. */
  exact: boolean;
  /** Is called when there is a newer frame, or captures fail. */
  onNews(): void;
}

/** Two captures at the same time keep the phone busy while the pixels of one travel. */
const MAX_UNDER_WAY = 2;

/** A screen that did not change for this time is captured less often, ms: its newest frame is still fresh enough for screenshots. */
const STILL_AFTER_MS = 1_000;
const STILL_EVERY_MS = 60;
/** The time between captures while minicap pushes the changes, ms: they only find out whether the screen was turned. */
const PUSHED_EVERY_MS = 500;

/** No capture begins while input is on its way to the phone, for this long at the most, ms. */
const INPUT_FIRST_MS = 100;

/** The wait after a capture that failed, ms. */
const FAILED_WAIT_MS = 500;

/** A frame serves in place of a fresh capture for this long, ms. The time until it is 100 ms old is left for encoding. */
const FRESH_MS = 80;

/** For this long after input, each screenshot is a new capture, ms: the effect of the input may not show at once. */
const AFTER_INPUT_MS = 1_000;

/**
 * Captures one phone's screen while there are viewers. The captures serve all viewers, at the highest rate that one of them takes. Viewers
 * are notified of each frame that differs from the one before; each takes the newest when it can. Phones that run minicap also push frames,
 * which come sooner than captures and cost none. Pushed frames are used only while the screen is upright, as minicap ignores rotation.
 */
export class LiveScreen {
  readonly #phone: ReachedPhone;
  readonly #sources: LiveSources;
  readonly #viewers = new Set<Viewer>();
  #stop = new AbortController();
  #underWay = 0;
  /** The inputs that go before captures; captures wait for them until `#yieldUntilMs`. */
  readonly #inputs = new Set<Promise<unknown>>();
  #yieldUntilMs = -Infinity;
  #timer: Timer | undefined;
  #beganMs = -Infinity;
  #changedMs = -Infinity;
  #latest: Frame | undefined;
  #isStill = false;
  #newest: LiveFrame | undefined;
  #pushed: LiveFrame | undefined;
  #failedSinceMs: number | undefined;
  #failure: Error | undefined;

  constructor(phone: ReachedPhone, sources: LiveSources) {
    this.#phone = phone;
    this.#sources = sources;
  }

  /** Returns the newest frame that differs from the one before, for a viewer that is `exact` or not; undefined before the first. */
  newest(exact: boolean): LiveFrame | undefined {
    const [captured, pushed] = [this.#newest, this.#pushed];
    return !exact && pushed !== undefined && captured !== undefined && pushed.beganMs > captured.beganMs
      ? pushed
      : captured;
  }

  /** Takes a frame that the phone pushed because its screen changed. */
  push(frame: MinicapFrame): void {
    // Until the first capture, the rotation of the screen is unknown.
    if (this.#newest === undefined || !this.#isUpright(this.#newest)) return;
    const { width, height } = frame;
    const encode = (spec: ImageSpec) => this.#sources.minicapImages.of(frame, spec);
    this.#pushed = { width, height, beganMs: this.#phone.clock.monotonicMs(), encode };
    for (const viewer of this.#viewers) if (!viewer.exact) viewer.onNews();
  }

  get viewers(): number {
    return this.#viewers.size;
  }

  /** Why captures fail, and for how long, ms; undefined while they do not. */
  get failing(): { error: Error; forMs: number } | undefined {
    if (this.#failedSinceMs === undefined || this.#failure === undefined) return undefined;
    return { error: this.#failure, forMs: this.#phone.clock.monotonicMs() - this.#failedSinceMs };
  }

  /**
   * Returns a frame that is as good as a fresh capture: it was taken moments ago, after the last input, and the screen is still. Undefined
   * when there is none.
   */
  fresh(): Frame | undefined {
    const frame = this.#latest;
    if (frame === undefined || !this.#isStill || this.#viewers.size === 0) return undefined;
    const now = this.#phone.clock.monotonicMs();
    if (this.#pushed !== undefined && this.#pushed.beganMs > frame.beganMs) return undefined;
    return now - frame.endedMs > FRESH_MS || now - this.#phone.inputs.lastMs < AFTER_INPUT_MS ? undefined : frame;
  }

  /** Adds a viewer. The function that is returned removes it. The captures stop when the last viewer is removed. */
  watch(viewer: Viewer): () => void {
    this.#viewers.add(viewer);
    if (this.#viewers.size === 1) this.#stop = new AbortController();
    this.#schedule();
    return () => {
      if (!this.#viewers.delete(viewer) || this.#viewers.size > 0) return;
      this.#stop.abort(new Error('the last viewer has left'));
      this.#timer?.cancel();
      this.#latest = undefined;
      this.#newest = undefined;
      this.#pushed = undefined;
      this.#failedSinceMs = undefined;
    };
  }

  /** Begins no capture until `input` is settled, or some time has passed, as a capture would delay the input. */
  yieldTo(input: Promise<unknown>): void {
    this.#inputs.add(input);
    this.#yieldUntilMs = this.#phone.clock.monotonicMs() + INPUT_FIRST_MS;
    const onSettled = (): void => {
      this.#inputs.delete(input);
      this.#schedule();
    };
    input.then(onSettled, onSettled);
  }

  /** Begins the next capture when it is due. */
  #schedule(): void {
    this.#timer?.cancel();
    if (this.#viewers.size === 0 || this.#underWay >= MAX_UNDER_WAY) return;
    const now = this.#phone.clock.monotonicMs();
    const yieldUntilMs = this.#inputs.size > 0 ? this.#yieldUntilMs : -Infinity;
    const waitMs = Math.max(this.#beganMs + this.#everyMs(now), yieldUntilMs) - now;
    if (waitMs > 0) this.#timer = this.#phone.clock.after(waitMs, () => this.#schedule());
    else void this.#capture(now).then(() => this.#schedule());
  }

  #everyMs(now: number): number {
    if (this.#failedSinceMs !== undefined) return FAILED_WAIT_MS;
    const viewers = [...this.#viewers];
    const wantedMs = 1_000 / Math.max(...viewers.map(({ fps }) => fps));
    const pushedMs = this.#pushed?.beganMs ?? -Infinity;
    if (now - pushedMs <= STILL_AFTER_MS && !viewers.some(({ exact }) => exact)) {
      return Math.max(wantedMs, PUSHED_EVERY_MS);
    }
    return now - Math.max(this.#changedMs, this.#phone.inputs.lastMs) > STILL_AFTER_MS
      ? Math.max(wantedMs, STILL_EVERY_MS)
      : wantedMs;
  }

  async #capture(now: number): Promise<void> {
    const { signal } = this.#stop;
    this.#beganMs = now;
    this.#underWay++;
    if ([...this.#viewers].some(({ exact }) => !exact)) this.#sources.minicap.want();
    try {
      // The next capture may become due while this one is under way.
      const frame = begunAhead(this.#sources.captures.next({ signal }));
      this.#schedule();
      this.#see(await frame, signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#failure = error instanceof Error ? error : new Error('a capture failed', { cause: error });
      this.#failedSinceMs ??= this.#phone.clock.monotonicMs();
      this.#notify();
    } finally {
      this.#underWay--;
    }
  }

  #see(frame: Frame, signal: AbortSignal): void {
    // When two captures are under way, the one that began later may arrive first.
    if (signal.aborted || (this.#latest !== undefined && frame.beganMs < this.#latest.beganMs)) return;
    this.#failedSinceMs = undefined;
    this.#isStill = frame.pixels === this.#latest?.pixels;
    this.#latest = frame;
    if (this.#isStill && this.#newest !== undefined) return;
    this.#changedMs = this.#phone.clock.monotonicMs();
    const { pixels, beganMs } = frame;
    const encode = (spec: ImageSpec) => this.#sources.images.of(pixels, spec);
    this.#newest = { width: pixels.width, height: pixels.height, beganMs, pixels, encode };
    if (!this.#isUpright(this.#newest)) this.#pushed = undefined;
    this.#notify();
  }

  #isUpright({ width, height }: LiveFrame): boolean {
    const { screen } = this.#phone.phone;
    return width > height === screen.width > screen.height;
  }

  #notify(): void {
    for (const viewer of this.#viewers) viewer.onNews();
  }
}
