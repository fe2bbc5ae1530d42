import type { Call } from '../../kit/call.js';
import type { Clock, Timer } from '../../kit/clock.js';
import { ApiError, type ErrorKind } from '../../kit/errors.js';
import type { EncodedImage, ImageSpec } from '../capture/encode.js';
import type { PhoneSession } from '../phones/phone-session.js';
import type { LiveFrame } from './live-screen.js';
import { rotationOf } from './rotation-of.js';

/** A message to a viewer. */
export type LiveMessage =
  | { kind: 'hello' | 'screen'; screen: { width: number; height: number; rotation: number } }
  | { kind: 'frame'; number: number; capturedMs: number; image: EncodedImage }
  | { kind: 'error'; error: ApiError };

export interface WatchOptions {
  clock: Clock;
  image: ImageSpec;
  fps: number;
  /** Finds the phone again, with the permissions as they are now. */
  locate: () => Promise<PhoneSession>;
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
  #session: PhoneSession;
  #unwatch: () => void = () => undefined;
  /** Wakes the stream: a frame, an error, a new session, the end. */
  #wake: () => void = () => undefined;
  #onRoom: () => void = () => undefined;
  #shown: LiveFrame | undefined;
  #size = '';
  #dueMs = -Infinity;
  #awaySinceMs: number | undefined;
  #refusal: Error | undefined;
  #check: Timer | undefined;
  #over = false;

  constructor(call: Call, session: PhoneSession, options: WatchOptions) {
    this.#call = call;
    this.#session = session;
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
    const { clock, image } = this.#options;
    const { signal } = this.#call;
    // Not only in `finally`: a stream that was cut while a message was being sent may never be resumed.
    const onAbort = (): void => this.#leave();
    signal.addEventListener('abort', onAbort);
    this.#watch(this.#session);
    this.#check = clock.after(CHECK_MS, () => void this.#checkAgain());
    const { metrics } = this.#session;
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
        const { failing } = this.#session.live;
        const newest = this.#session.live.newest(this.#exact);
        if (failing !== undefined && (helloMs === undefined || failing.forMs > this.#session.limits.awayMs))
          throw failing.error;
        const now = clock.monotonicMs();
        if (newest !== undefined && newest !== this.#shown && now >= this.#dueMs) {
          const size = `${this.#session.phone.generation} ${newest.width} ${newest.height}`;
          if (size !== this.#size) {
            const rotation = await rotationOf(this.#call, this.#session, newest);
            this.#size = size;
            yield { kind: helloMs === undefined ? 'hello' : 'screen', screen: { width: newest.width, height: newest.height, rotation } }; // prettier-ignore
            helloMs ??= clock.monotonicMs();
            continue;
          }
          this.#shown = newest;
          this.#dueMs = Math.max(this.#dueMs, now - this.#everyMs / 2) + this.#everyMs;
          const encoded = await newest.encode(image);
          number++;
          metrics.frame(encoded.data.length);
          const capturedMs = Math.max(0, Math.round(newest.beganMs - (helloMs ?? newest.beganMs)));
          yield { kind: 'frame', number, capturedMs, image: encoded };
          continue;
        }
        await this.#news(newest === this.#shown ? undefined : this.#dueMs - now);
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#leave();
    }
  }

  #leave(): void {
    if (this.#over) return;
    this.#over = true;
    this.#session.metrics.viewer(-1);
    this.#unwatch();
    this.#check?.cancel();
    this.#onRoom();
    this.#wake();
    this.#options.onLeave();
  }

  get #exact(): boolean {
    return this.#options.image.format === 'png';
  }

  get #everyMs(): number {
    return 1_000 / this.#options.fps;
  }

  #watch(session: PhoneSession): void {
    this.#unwatch();
    this.#session = session;
    this.#unwatch = session.live.watch({ fps: this.#options.fps, exact: this.#exact, onNews: () => this.#wake() });
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

  async #checkAgain(): Promise<void> {
    const { clock, locate } = this.#options;
    try {
      const session = await locate();
      this.#awaySinceMs = undefined;
      if (session !== this.#session && !this.#over) this.#watch(session);
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
    } else if (clock.monotonicMs() - this.#awaySinceMs > this.#session.limits.awayMs) {
      this.end(error);
    }
  }
}
