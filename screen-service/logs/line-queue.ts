import type { Clock } from '../../kit/async/clock.js';
import { WakeSignal } from '../../kit/async/wake-signal.js';
import type { LogLine } from './log-line.js';

/** Most lines that wait for a slow reader. */
const MAX_WAITING = 5_000;
/** Most characters of the lines that wait. A line has up to 65,536. */
const MAX_WAITING_CHARS = 4 * 1024 * 1024;

/** What a queue that is full does with further lines: its writer waits for room, or the oldest lines are dropped. */
export type WhenFull = 'wait' | 'drop';

/** Lines that arrived together. `lost` is the number of lines before them that were dropped. */
export interface TakenLines {
  lost: number;
  lines: LogLine[];
}

/** Lines between the phone and a reader that may be slower. */
export class LineQueue {
  readonly #whenFull: WhenFull;
  #lines: LogLine[] = [];
  #chars = 0;
  #lost = 0;
  #ended = false;
  #failure: Error | undefined;
  readonly #news = new WakeSignal();
  readonly #room = new WakeSignal();

  constructor(whenFull: WhenFull) {
    this.#whenFull = whenFull;
  }

  /** Resolves when there is room for more. */
  async add(lines: readonly LogLine[]): Promise<void> {
    this.#lines.push(...lines);
    this.#chars += charsOf(lines);
    if (this.#whenFull === 'drop') this.#dropOldest();
    this.#news.wake();
    while (this.#isFull() && !this.#ended) await this.#room.wait();
  }

  end(error: unknown): void {
    if (!this.#ended && error !== undefined) this.#failure = toError(error);
    this.#ended = true;
    this.#news.wake();
    this.#room.wake();
  }

  /**
   * Returns all lines that wait, as soon as there is one; undefined at the end. With `silence`, it returns no lines after that time without
   * one.
   */
  async take(silence?: { clock: Clock; ms: number }): Promise<TakenLines | undefined> {
    const untilMs = silence && silence.clock.monotonicMs() + silence.ms;
    while (this.#lines.length === 0 && !this.#ended) {
      const restMs = silence && untilMs !== undefined ? untilMs - silence.clock.monotonicMs() : Infinity;
      if (restMs <= 0) return { lost: 0, lines: [] };
      await this.#news.wait(silence && { timeout: { clock: silence.clock, ms: restMs } });
    }
    if (this.#lines.length === 0) return undefined;
    const taken = { lost: this.#lost, lines: this.#lines };
    this.#lines = [];
    this.#chars = 0;
    this.#lost = 0;
    this.#room.wake();
    return taken;
  }

  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  #isFull(): boolean {
    return this.#lines.length > MAX_WAITING || this.#chars > MAX_WAITING_CHARS;
  }

  #dropOldest(): void {
    let dropped = 0;
    let { length } = this.#lines;
    while (length > MAX_WAITING || (this.#chars > MAX_WAITING_CHARS && length > 1)) {
      const oldest = this.#lines[dropped];
      if (oldest === undefined) break;
      this.#chars -= charsOf([oldest]);
      dropped++;
      length--;
    }
    this.#lines.splice(0, dropped);
    this.#lost += dropped;
  }
}

function charsOf(lines: readonly LogLine[]): number {
  return lines.reduce((chars, { tag, message }) => chars + tag.length + message.length, 0);
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('the log broke off', { cause: thrown });
}
