import type { Timer } from '../../kit/clock.js';
import type { Captures, Frame } from '../capture/captures.js';
import type { EncodedImage, ImageSpec } from '../capture/encode.js';
import type { ReachedPhone } from '../phones/reached-phone.js';

/** A picture of a watched screen. */
export interface LiveFrame {
  /** Of the picture before it is made smaller, as the screen is turned. */
  width: number;
  height: number;
  /** When it was begun, on the clock's monotonic scale: it is not older. */
  beganMs: number;
  /** Encodes it; the same image is made once for all viewers. */
  encode(spec: ImageSpec): Promise<EncodedImage>;
}

/** A stream that watches the screen. */
export interface Viewer {
  /** Most frames a second that it takes. */
  fps: number;
  /** It gets the very pixels (PNG), so that frames which the phone has compressed do not serve it. */
  exact: boolean;
  /** Called when there is a newer frame, or captures fail. */
  onNews(): void;
}

/** Two captures at once keep the phone busy while the pixels of one travel. */
const UNDER_WAY_MOST = 2;

/** A screen that did not change for this time is captured less often, ms: its newest frame is still fresh enough for screenshots. */
const STILL_AFTER_MS = 1_000;
const STILL_EVERY_MS = 60;
/** While minicap pushes the changes, captures only find out whether the screen was turned, ms. */
const PUSHED_EVERY_MS = 500;

/** No capture is begun before input that is on its way to the phone, for this long at the most, ms. */
const INPUT_FIRST_MS = 100;

/** After a capture that failed the next one waits, ms. */
const FAILED_WAIT_MS = 500;

/** A frame may take the place of a fresh capture for this long, ms, with room for its encoding until it is 100 ms old. */
const FRESH_MS = 80;

/** How long after input each screenshot is a new capture, ms: its effect may not show at once. */
const AFTER_INPUT_MS = 1_000;

/**
 * Captures one phone's screen while there are viewers, once for all of them, at the highest rate that one of them takes. Viewers are
 * notified of frames that differ from the one before; each takes the newest when it can. On phones that run minicap, the frames that it
 * pushes come between the captures: sooner, and without their cost, as long as the screen is upright, which minicap takes it to be.
 */
export class LiveScreen {
  readonly #phone: ReachedPhone;
  readonly #captures: Captures;
  readonly #toFrame: (frame: Frame) => LiveFrame;
  readonly #wantPushed: () => void;
  readonly #viewers = new Set<Viewer>();
  #stop = new AbortController();
  #underWay = 0;
  /** The input that goes first, and until when. */
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

  constructor(
    phone: ReachedPhone,
    parts: {
      captures: Captures;
      toFrame: (frame: Frame) => LiveFrame;
      /** Starts the source that calls `push`, and keeps it for a while. */
      wantPushed: () => void;
    },
  ) {
    this.#phone = phone;
    this.#captures = parts.captures;
    this.#toFrame = parts.toFrame;
    this.#wantPushed = parts.wantPushed;
  }

  /** The newest frame that differs from the one before, for a viewer that is `exact` or not; undefined before the first. */
  newest(exact: boolean): LiveFrame | undefined {
    const [captured, pushed] = [this.#newest, this.#pushed];
    return !exact && pushed !== undefined && captured !== undefined && pushed.beganMs > captured.beganMs
      ? pushed
      : captured;
  }

  /** Takes a frame that the phone pushed because its screen changed. */
  push(frame: LiveFrame): void {
    // Before the first capture it is not known how the screen is turned.
    if (this.#newest === undefined || !this.#isUpright(this.#newest)) return;
    this.#pushed = frame;
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
   * A frame that is as good as a fresh capture: taken within the last moments, after the last input, of a screen that is still. Undefined
   * when there is none.
   */
  fresh(): Frame | undefined {
    const frame = this.#latest;
    if (frame === undefined || !this.#isStill || this.#viewers.size === 0) return undefined;
    const now = this.#phone.clock.monotonicMs();
    if (this.#pushed !== undefined && this.#pushed.beganMs > frame.beganMs) return undefined;
    return now - frame.endedMs > FRESH_MS || now - this.#phone.inputSentMs < AFTER_INPUT_MS ? undefined : frame;
  }

  /** Adds a viewer. The function that is returned removes it; with the last one the captures stop. */
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

  /** Begins no capture until `input` is settled, or some time has passed: it would hold the input up. */
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
    if (this.#viewers.size === 0 || this.#underWay >= UNDER_WAY_MOST) return;
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
    return now - Math.max(this.#changedMs, this.#phone.inputSentMs) > STILL_AFTER_MS
      ? Math.max(wantedMs, STILL_EVERY_MS)
      : wantedMs;
  }

  async #capture(now: number): Promise<void> {
    const { signal } = this.#stop;
    this.#beganMs = now;
    this.#underWay++;
    if ([...this.#viewers].some(({ exact }) => !exact)) this.#wantPushed();
    try {
      // The next one is due while this one is under way.
      const frame = this.#captures.next({ signal });
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
    // Of two that were under way, the later one may have arrived first.
    if (signal.aborted || (this.#latest !== undefined && frame.beganMs < this.#latest.beganMs)) return;
    this.#failedSinceMs = undefined;
    this.#isStill = frame.pixels === this.#latest?.pixels;
    this.#latest = frame;
    if (this.#isStill && this.#newest !== undefined) return;
    this.#changedMs = this.#phone.clock.monotonicMs();
    this.#newest = this.#toFrame(frame);
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
