import type { Call } from '../../kit/call.js';
import type { Clock, Timer } from '../../kit/clock.js';
import { ApiError, type ErrorKind } from '../../kit/errors.js';
import type { ImageSpec } from '../capture/encode.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import type { FrameFeed, ReadyFrame } from './frame-feed.js';
import { PictureFeed } from './picture-feed.js';
import { rotationOf } from './rotation-of.js';
import { screenOf } from './screen-of.js';
import { VideoFeed } from './video-feed.js';

/** A message to a viewer. */
export type LiveMessage =
  | {
      kind: 'hello' | 'screen';
      screen: { width: number; height: number; rotation: number };
      format: FrameFeed['format'];
      codec: string | undefined;
    }
  | { kind: 'frame'; number: number; capturedMs: number; data: Uint8Array; contentType: string; flags?: number }
  | { kind: 'error'; error: ApiError };

export interface WatchOptions {
  clock: Clock;
  /** Of pictures. */
  image: ImageSpec;
  /** Whether the viewer takes video: always, never, or where the phone has it. */
  video: 'always' | 'never' | 'where-offered';
  fps: number;
  /** Finds the phone again, with the permissions as they are now. */
  locate: () => Promise<KeptPhone>;
  /** Called once, when the stream ends. */
  onLeave: () => void;
}

/** How often the viewer's permission and the phone's place are checked, ms. */
const CHECK_MS = 1_000;

/** Failures of a check that end a stream. */
const REFUSALS: readonly ErrorKind[] = ['unauthorized', 'forbidden', 'not_found'];

/** Errors that wait to be sent. With more, input is not taken. */
const ERRORS_MOST = 16;

/** One viewer of one phone: makes its messages until the viewer leaves or loses its permission. */
export class Watch {
  readonly #call: Call;
  readonly #options: WatchOptions;
  readonly #errors: ApiError[] = [];
  #kept: KeptPhone;
  #feed: FrameFeed | undefined;
  /** Wakes the stream: a frame, an error, a new start of the phone, the end. */
  #wake: () => void = () => undefined;
  #onRoom: () => void = () => undefined;
  #form = '';
  #awaySinceMs: number | undefined;
  #refusal: Error | undefined;
  #check: Timer | undefined;
  #over = false;

  constructor(call: Call, kept: KeptPhone, options: WatchOptions) {
    this.#call = call;
    this.#kept = kept;
    this.#options = options;
  }

  get isOver(): boolean {
    return this.#over;
  }

  /** Ends the stream with an error. */
  end(error: unknown): void {
    this.#refusal ??= error instanceof Error ? error : new Error('the stream broke off', { cause: error });
    this.#wake();
  }

  /** Sends the viewer an error; the stream goes on. Resolves when there is room for another. */
  async fail(error: ApiError): Promise<void> {
    this.#errors.push(error);
    this.#wake();
    while (this.#errors.length >= ERRORS_MOST && !this.#over) {
      await new Promise<void>((resolve) => {
        this.#onRoom = resolve;
      });
    }
  }

  /** Yields hello, then frames, changes of the screen and errors, until the call ends. Throws the reason when it must not go on. */
  async *messages(): AsyncGenerator<LiveMessage, void, undefined> {
    const { clock } = this.#options;
    const { signal } = this.#call;
    // Not only in `finally`: a stream that was cut while a message was being sent may never be resumed.
    const onAbort = (): void => this.#leave();
    signal.addEventListener('abort', onAbort);
    this.#watch(this.#kept);
    this.#check = clock.after(CHECK_MS, () => void this.#checkAgain());
    const { metrics } = this.#kept;
    metrics.viewer(1);
    let helloMs: number | undefined;
    let number = 0;
    try {
      for (;;) {
        signal.throwIfAborted();
        if (this.#refusal !== undefined) throw this.#refusal;
        const error = helloMs === undefined ? undefined : this.#errors.shift();
        if (error !== undefined) {
          this.#onRoom();
          yield { kind: 'error', error };
          continue;
        }
        const feed = this.#watched;
        const { failing } = feed;
        if (feed.isOver && this.#options.video === 'where-offered') {
          this.#follow(this.#pictures());
          continue;
        }
        if (feed.isOver && helloMs === undefined) {
          await this.#findAgain();
          if (this.#watched === feed) throw noVideo(failing?.error);
          continue;
        }
        if (failing !== undefined && (helloMs === undefined || failing.forMs > this.#kept.limits.awayMs)) {
          // A phone that was stopped refuses connections: then the device service's reason is the right one.
          await this.#findAgain();
          if (this.#watched === feed) throw feed.format === 'h264' ? videoEnded(failing.error) : failing.error;
          continue;
        }
        const ready = feed.next();
        if (ready === undefined || typeof ready === 'number') {
          await this.#news(ready);
          continue;
        }
        if (`${this.#kept.phone.generation} ${ready.form}` !== this.#form) {
          const { format } = feed;
          const screen = await this.#screenOf(ready, format);
          if (this.#watched !== feed) continue;
          this.#form = `${this.#kept.phone.generation} ${ready.form}`;
          yield { kind: helloMs === undefined ? 'hello' : 'screen', screen, format, codec: ready.codec };
          helloMs ??= clock.monotonicMs();
          continue;
        }
        const capturedMs = Math.max(0, Math.round(ready.beganMs - (helloMs ?? ready.beganMs)));
        const frame = await ready.take();
        number++;
        metrics.frame(frame.data.length);
        yield { kind: 'frame', number, capturedMs, ...frame };
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#leave();
    }
  }

  #leave(): void {
    if (this.#over) return;
    this.#over = true;
    this.#kept.metrics.viewer(-1);
    this.#feed?.leave();
    this.#check?.cancel();
    this.#onRoom();
    this.#wake();
    this.#options.onLeave();
  }

  get #watched(): FrameFeed {
    if (this.#feed === undefined) throw new Error('nothing is watched');
    return this.#feed;
  }

  #watch(kept: KeptPhone): void {
    this.#kept = kept;
    const { image, video, fps } = this.#options;
    if (video === 'always' || (video === 'where-offered' && kept.video.isOffered)) {
      this.#follow(new VideoFeed(kept, { maxSize: image.maxSizePx ?? Infinity, fps }, () => this.#wake()));
    } else {
      this.#follow(this.#pictures());
    }
  }

  #pictures(): FrameFeed {
    const { image, fps } = this.#options;
    return new PictureFeed(this.#kept, image, fps, () => this.#wake());
  }

  #follow(feed: FrameFeed): void {
    this.#feed?.leave();
    this.#feed = feed;
  }

  async #screenOf(ready: ReadyFrame, format: FrameFeed['format']) {
    const size = format === 'h264' ? await screenOf(this.#call, this.#kept, ready) : ready;
    const rotation = await rotationOf(this.#call, this.#kept, size);
    return { width: size.width, height: size.height, rotation };
  }

  /** Resolves with the next news, or after `ms`. */
  async #news(ms: number | undefined): Promise<void> {
    let timer: Timer | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (ms !== undefined) timer = this.#options.clock.after(ms, resolve);
    });
    timer?.cancel();
  }

  /** Watches the phone at its present place. Throws busy when it does not run, and the refusal when the viewer may not watch it. */
  async #findAgain(): Promise<void> {
    const kept = await this.#options.locate();
    this.#awaySinceMs = undefined;
    if (kept !== this.#kept && !this.#over) this.#watch(kept);
  }

  async #checkAgain(): Promise<void> {
    const { clock } = this.#options;
    try {
      await this.#findAgain();
    } catch (error) {
      if (error instanceof ApiError) this.#away(error);
      else this.end(error);
    }
    this.#wake();
    if (!this.#over) this.#check = clock.after(CHECK_MS, () => void this.#checkAgain());
  }

  #away(error: ApiError): void {
    const { clock } = this.#options;
    if (REFUSALS.includes(error.kind)) this.end(error);
    // Others, such as unavailable, do not end the stream.
    if (error.kind !== 'busy') return;
    if (this.#awaySinceMs === undefined) {
      this.#awaySinceMs = clock.monotonicMs();
      this.#errors.push(error);
    } else if (clock.monotonicMs() - this.#awaySinceMs > this.#kept.limits.awayMs) {
      this.end(error);
    }
  }
}

function noVideo(cause: unknown): ApiError {
  const message = 'format: this phone has no video at present. Use jpeg, or auto, which takes video where it is there.';
  return new ApiError('bad_request', message, { cause });
}

function videoEnded(cause: Error): ApiError {
  return new ApiError('unavailable', 'The video of the phone ended. Connect again, or use format=jpeg.', { cause });
}
