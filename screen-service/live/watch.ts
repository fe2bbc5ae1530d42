import type { Call } from '../../kit/call/call.js';
import type { Clock, Timer } from '../../kit/async/clock.js';
import { WakeSignal } from '../../kit/async/wake-signal.js';
import { ApiError, type ErrorKind } from '../../kit/errors/api-error.js';
import { LeasedAway } from '../../kit/errors/leased-away.js';
import type { ImageSpec } from '../capture/encode.js';
import type { WatchedPhone } from './watched-phone.js';
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
  /** Format, quality and size of pictures. */
  image: ImageSpec;
  /** Whether the viewer takes video: always, never, or where the phone has it. */
  video: 'always' | 'never' | 'where-offered';
  fps: number;
  /** Finds the phone again, with the permissions as they are now. */
  locate: () => Promise<WatchedPhone>;
  /** Is called once, when the stream ends. */
  onLeave: () => void;
}

/** How often the viewer's permission and the phone's place are checked, ms. */
const CHECK_MS = 1_000;

/** Failures of a check that end a stream. */
const REFUSALS: readonly ErrorKind[] = ['unauthorized', 'forbidden', 'not_found'];

/** Most errors that wait to be sent. While so many wait, `fail` does not resolve, and so no input is read. */
const MAX_ERRORS = 16;

/** Serves one viewer of one phone. Yields the viewer's messages until the viewer leaves or loses its permission. */
export class Watch {
  readonly #call: Call;
  readonly #options: WatchOptions;
  readonly #errors: ApiError[] = [];
  #phoneSession: WatchedPhone;
  #feed: FrameFeed | undefined;
  /** Wakes `messages` for a new frame, an error, a restart of the phone, or the end of the stream. */
  readonly #news = new WakeSignal();
  readonly #room = new WakeSignal();
  #form = '';
  #awaySinceMs: number | undefined;
  #refusal: Error | undefined;
  #check: Timer | undefined;
  #over = false;

  constructor(call: Call, phoneSession: WatchedPhone, options: WatchOptions) {
    this.#call = call;
    this.#phoneSession = phoneSession;
    this.#options = options;
  }

  get isOver(): boolean {
    return this.#over;
  }

  /** Ends the stream with an error. */
  end(error: unknown): void {
    this.#refusal ??= error instanceof Error ? error : new Error('the stream broke off', { cause: error });
    this.#news.wake();
  }

  /** Sends the viewer an error; the stream goes on. Resolves when there is room for another error. */
  async fail(error: ApiError): Promise<void> {
    this.#errors.push(error);
    this.#news.wake();
    while (this.#errors.length >= MAX_ERRORS && !this.#over) {
      await this.#room.wait();
    }
  }

  /** Yields hello, then frames, changes of the screen and errors, until the call ends. Throws the reason if the stream must end earlier. */
  async *messages(): AsyncGenerator<LiveMessage, void, undefined> {
    const { clock } = this.#options;
    const { signal } = this.#call;
    // `finally` alone does not suffice: if the stream is cut while a message is sent, this generator may never be resumed.
    const onAbort = (): void => this.#leave();
    signal.addEventListener('abort', onAbort);
    this.#watch(this.#phoneSession);
    this.#check = clock.after(CHECK_MS, () => void this.#checkAgain());
    const { metrics } = this.#phoneSession;
    metrics.viewer(1);
    let helloMs: number | undefined;
    let number = 0;
    try {
      for (;;) {
        signal.throwIfAborted();
        if (this.#refusal !== undefined) throw this.#refusal;
        const error = helloMs === undefined ? undefined : this.#errors.shift();
        if (error !== undefined) {
          this.#room.wake();
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
        if (failing !== undefined && (helloMs === undefined || failing.forMs > this.#phoneSession.limits.awayMs)) {
          // A phone that was stopped refuses connections. Then `#findAgain` throws the device service's reason, which is the one to report.
          await this.#findAgain();
          if (this.#watched === feed) throw feed.format === 'h264' ? videoEnded(failing.error) : failing.error;
          continue;
        }
        const ready = feed.next();
        if (ready === undefined || typeof ready === 'number') {
          await this.#news.wait(ready === undefined ? {} : { timeout: { clock, ms: ready } });
          continue;
        }
        if (`${this.#phoneSession.phone.generation} ${ready.form}` !== this.#form) {
          const { format } = feed;
          const screen = await this.#screenOf(ready, format);
          if (this.#watched !== feed) continue;
          this.#form = `${this.#phoneSession.phone.generation} ${ready.form}`;
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
    this.#phoneSession.metrics.viewer(-1);
    this.#feed?.leave();
    this.#check?.cancel();
    this.#room.wake();
    this.#news.wake();
    this.#options.onLeave();
  }

  get #watched(): FrameFeed {
    if (this.#feed === undefined) throw new Error('nothing is watched');
    return this.#feed;
  }

  #watch(phoneSession: WatchedPhone): void {
    this.#phoneSession = phoneSession;
    const { image, video, fps } = this.#options;
    if (video === 'always' || (video === 'where-offered' && phoneSession.video.isOffered)) {
      this.#follow(new VideoFeed(phoneSession, { maxSize: image.maxSizePx ?? Infinity, fps }, () => this.#news.wake()));
    } else {
      this.#follow(this.#pictures());
    }
  }

  #pictures(): FrameFeed {
    const { image, fps } = this.#options;
    return new PictureFeed(this.#phoneSession, image, fps, () => this.#news.wake());
  }

  #follow(feed: FrameFeed): void {
    this.#feed?.leave();
    this.#feed = feed;
  }

  async #screenOf(ready: ReadyFrame, format: FrameFeed['format']) {
    const size = format === 'h264' ? await screenOf(this.#call, this.#phoneSession, ready) : ready;
    const rotation = await rotationOf(this.#call, this.#phoneSession, size);
    return { width: size.width, height: size.height, rotation };
  }

  /** Watches the phone at its present place. Throws busy when the phone does not run, and a refusal when the viewer may not watch. */
  async #findAgain(): Promise<void> {
    const phoneSession = await this.#options.locate();
    this.#awaySinceMs = undefined;
    if (phoneSession !== this.#phoneSession && !this.#over) this.#watch(phoneSession);
  }

  async #checkAgain(): Promise<void> {
    const { clock } = this.#options;
    try {
      await this.#findAgain();
    } catch (error) {
      if (error instanceof ApiError) this.#away(error);
      else this.end(error);
    }
    this.#news.wake();
    if (!this.#over) this.#check = clock.after(CHECK_MS, () => void this.#checkAgain());
  }

  #away(error: ApiError): void {
    const { clock } = this.#options;
    if (REFUSALS.includes(error.kind) || error instanceof LeasedAway) this.end(error);
    // Other errors, such as unavailable, do not end the stream.
    if (error.kind !== 'busy') return;
    if (this.#awaySinceMs === undefined) {
      this.#awaySinceMs = clock.monotonicMs();
      this.#errors.push(error);
    } else if (clock.monotonicMs() - this.#awaySinceMs > this.#phoneSession.limits.awayMs) {
      this.end(error);
    }
  }
}

function noVideo(cause: unknown): ApiError {
  const message = 'format: this phone has no video at present. Use jpeg, or auto, which uses video if there is any.';
  return new ApiError('bad_request', message, { cause });
}

function videoEnded(cause: Error): ApiError {
  return new ApiError('unavailable', 'The video of the phone ended. Connect again, or use format=jpeg.', { cause });
}
