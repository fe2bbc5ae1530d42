import { begunAhead } from '../../../kit/async/begun-ahead.js';
import type { Call } from '../../../kit/call/call.js';
import type { Timer } from '../../../kit/async/clock.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { unlessAborted } from '../../../kit/async/within.js';
import type { Point } from '../../shapes/rectangle.js';
import type { ReachedPhone } from '../../link/reached-phone.js';
import { findTouchPath } from './find-touch-path.js';
import { GesturePace } from './gesture-pace.js';
import type { Touch } from '../../shapes/touch.js';
import type { TouchPath } from './touch-path.js';

/** How long a finger may stay down after the last call of its holder, ms. Then it is lifted. The API names this time. */
export const HELD_MS = 30_000;

/** How long a call waits for another caller's touches before it is refused, ms: a tap is over by then. */
const OTHERS_WAITED_FOR_MS = 1_000;

/** Calls that may wait for the fingers of one phone. */
const MAX_WAITING = 64;

/** The fingers of the caller whose turn it is. */
export interface HeldFingers {
  /** The places of the fingers that are on the screen, by pointer. */
  readonly down: ReadonlyMap<number, Point>;
  /** The number of fingers that the phone takes at the same time. */
  readonly most: number;
  /**
   * Sends touches that were made at `atMs` on the sender's clock, as far apart as they were made. Without `atMs` it sends them at once.
   * Resolves when they are on their way.
   */
  touch(touches: readonly Touch[], atMs?: number): Promise<void>;
  /** Resolves when the phone has taken all touches that were sent. */
  taken(): Promise<void>;
}

interface Waiting {
  holder: string;
  begin(): void;
}

/**
 * The fingers on one phone's screen. They belong to one holder at a time, as Android makes a single gesture of all fingers that touch the
 * screen together. A holder has them during a call with touches, and after it while a finger is still down. Calls of one holder run one
 * after the other. Calls of another holder wait a moment and are then refused, with the time at which the fingers are lifted at the latest.
 */
export class Fingers {
  readonly #phone: ReachedPhone;
  readonly #down = new Map<number, Point>();
  readonly #pace: GesturePace;
  readonly #control: () => TouchPath | undefined;
  /** The path in use, and the phone's own path, which is found at its first use and needs no video. */
  #path: TouchPath | undefined;
  #ownPath: TouchPath | undefined;
  #holder: string | undefined;
  #running = false;
  #waiting: Waiting[] = [];
  #lifting: { timer: Timer; atMs: number } | undefined;
  #closed = false;

  /** `control` returns the path of the live video; undefined while there is no video. */
  constructor(phone: ReachedPhone, control: () => TouchPath | undefined = () => undefined) {
    this.#phone = phone;
    this.#control = control;
    this.#pace = new GesturePace(phone.clock);
  }

  /** Whether a finger of `holder` is down. */
  isHeldBy(holder: string): boolean {
    return this.#holder === holder && this.#down.size > 0;
  }

  /**
   * Calls `work` when it is the holder's turn. When `work` fails after it sent touches, or the call ends early, all fingers are lifted, as
   * it is not known which touches arrived. Throws busy when another holder keeps the fingers for too long, or too many calls wait.
   */
  async use<T>(
    call: Pick<Call, 'signal' | 'sender'>,
    holder: string,
    work: (fingers: HeldFingers) => Promise<T>,
  ): Promise<T> {
    await this.#turn(call, holder);
    try {
      const path = await this.#choosePath(call);
      const sent = { any: false };
      const touch = async (touches: readonly Touch[], atMs?: number): Promise<void> => {
        await this.#pace.turn(atMs, { isHeld: this.#down.size > 0, signal: call.signal });
        sent.any = true;
        for (const { phase, pointer, x, y } of touches) {
          if (phase === 'up') this.#down.delete(pointer);
          else this.#down.set(pointer, { x, y });
        }
        await path.send(call, touches);
      };
      try {
        return await work({ down: this.#down, most: path.most, touch, taken: () => path.taken(call) });
      } catch (error) {
        // A refusal before anything was sent changes nothing about fingers that are held.
        if (sent.any || call.signal.aborted) await this.#lift(path).catch((cause: unknown) => this.#logStuck(cause));
        throw error;
      }
    } finally {
      this.#end(holder);
    }
  }

  /** Lifts the fingers of a holder that goes away, once its calls have ended. It does nothing for a holder without fingers or calls. */
  async release(holder: string): Promise<void> {
    const has = this.#holder === holder && (this.#running || this.#down.size > 0);
    if (!has && !this.#waiting.some((waiting) => waiting.holder === holder)) return;
    const own = { signal: new AbortController().signal };
    await this.use(own, holder, async () => this.#path && this.#lift(this.#path));
  }

  /** Lifts all fingers on the screen, of every holder. */
  async releaseAll(): Promise<void> {
    if (this.#holder !== undefined) await this.release(this.#holder);
  }

  close(): void {
    this.#closed = true;
    this.#lifting?.timer.cancel();
    this.#ownPath?.close();
  }

  /** Fingers that are down stay on the path that they came by. */
  async #choosePath(call: Pick<Call, 'signal' | 'sender'>): Promise<TouchPath> {
    if (this.#path !== undefined && this.#down.size > 0) return this.#path;
    const path = this.#control() ?? (this.#ownPath ??= await findTouchPath(call, this.#phone));
    this.#path = path;
    return path;
  }

  async #turn(call: Pick<Call, 'signal' | 'sender'>, holder: string): Promise<void> {
    const { clock } = this.#phone;
    if (this.#waiting.length >= MAX_WAITING) {
      throw new ApiError('busy', 'Too many calls wait to touch this screen. Try again in a second.');
    }
    let limit: Timer | undefined;
    let waiting: Waiting | undefined;
    const turn = begunAhead(
      new Promise<void>((resolve, reject) => {
        const giveUp = (): void => {
          if (this.#holder === holder) limit = clock.after(OTHERS_WAITED_FOR_MS, giveUp);
          else reject(this.#busy());
        };
        waiting = { holder, begin: resolve };
        this.#waiting.push(waiting);
        limit = clock.after(OTHERS_WAITED_FOR_MS, giveUp);
        this.#next();
      }),
    );
    const state = { isGranted: false };
    void turn.then(
      () => (state.isGranted = true),
      () => undefined,
    );
    try {
      await unlessAborted(call.signal, turn);
    } catch (error) {
      this.#waiting = this.#waiting.filter((one) => one !== waiting);
      // The turn may have come in the moment in which the call ended.
      if (state.isGranted) this.#end(holder);
      throw error;
    } finally {
      limit?.cancel();
    }
  }

  #next(): void {
    if (this.#running) return;
    const at = this.#waiting.findIndex(({ holder }) => this.#down.size === 0 || holder === this.#holder);
    const [waiting] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (waiting === undefined) return;
    this.#lifting?.timer.cancel();
    this.#lifting = undefined;
    this.#running = true;
    if (this.#holder !== waiting.holder) this.#pace.reset();
    this.#holder = waiting.holder;
    waiting.begin();
  }

  #end(holder: string): void {
    this.#running = false;
    if (this.#down.size > 0 && !this.#closed) {
      const { clock } = this.#phone;
      const lift = (): Promise<void> => this.release(holder).catch((error: unknown) => this.#logStuck(error));
      const timer = clock.after(HELD_MS, () => void lift());
      this.#lifting = { timer, atMs: clock.now() + HELD_MS };
    }
    this.#next();
  }

  async #lift(path: TouchPath): Promise<void> {
    const fingers = new Map(this.#down);
    this.#down.clear();
    if (this.#closed || fingers.size === 0) return;
    await path.lift({ signal: new AbortController().signal }, fingers);
  }

  /**
   * Logs that fingers could not be lifted. On a touch device the next touch lifts them: it opens a new stream, which begins by lifting all
   * fingers.
   */
  #logStuck(error: unknown): void {
    this.#phone.log.warn({ err: error }, 'fingers could not be lifted from the screen of a phone');
  }

  #busy(): ApiError {
    const whole = 'Another caller is touching this screen';
    if (this.#lifting === undefined) return new ApiError('busy', `${whole}. Try again once its request has ended.`);
    const until = new Date(this.#lifting.atMs).toISOString();
    return new ApiError('busy', `${whole}; unless it goes on, its finger is lifted at ${until}. Try again then.`);
  }
}
