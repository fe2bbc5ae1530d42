import type { Clock } from './clock.js';

export interface FixedWindowsOptions {
  clock: Clock;
  /** Length of each window, ms. */
  windowMs: number;
  /** Keys remembered at the most; the oldest windows go first, so that a flood costs a bounded amount of memory. */
  mostKeys?: number;
}

export interface WindowCount {
  /** Events of the key in its window, this one included. */
  count: number;
  /** Until the window ends, ms; more than 0. */
  resetMs: number;
}

interface Window {
  count: number;
  /** Whole monotonic ms, so that V8 keeps it without a box. */
  endsMs: number;
}

const MOST_KEYS = 100_000;

/**
 * Counts events by key in windows that each begin with the first event after the last one ended. Windows that are over are dropped
 * along the way: all have one length and are in the order of their beginning, so the ones that are over are in front, and neither
 * timers nor scans are needed.
 */
export class FixedWindows {
  readonly #clock: Clock;
  readonly #windowMs: number;
  readonly #mostKeys: number;
  readonly #windows = new Map<string, Window>();

  constructor({ clock, windowMs, mostKeys = MOST_KEYS }: FixedWindowsOptions) {
    this.#clock = clock;
    this.#windowMs = windowMs;
    this.#mostKeys = mostKeys;
  }

  /** Counts one event. */
  count(key: string): WindowCount {
    const nowMs = Math.floor(this.#clock.monotonicMs());
    const window = this.#windows.get(key);
    if (window !== undefined && window.endsMs > nowMs) {
      window.count++;
      return { count: window.count, resetMs: window.endsMs - nowMs };
    }
    this.#windows.delete(key);
    this.#windows.set(key, { count: 1, endsMs: nowMs + this.#windowMs });
    this.#drop(nowMs);
    return { count: 1, resetMs: this.#windowMs };
  }

  /** Events of the key in its window so far. */
  peek(key: string): number {
    const window = this.#windows.get(key);
    return window !== undefined && window.endsMs > this.#clock.monotonicMs() ? window.count : 0;
  }

  /** Takes one event back, as if it had not been; its window goes on. */
  takeBack(key: string): void {
    const window = this.#windows.get(key);
    if (window !== undefined && window.count > 0) window.count--;
  }

  /** Ends the key's window. */
  forget(key: string): void {
    this.#windows.delete(key);
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#windows.size;
  }

  #drop(nowMs: number): void {
    // A few for each one that was added: enough to keep up, and never a long pause.
    let rest = 4;
    for (const [key, { endsMs }] of this.#windows) {
      if (this.#windows.size <= this.#mostKeys && (endsMs > nowMs || rest-- === 0)) return;
      this.#windows.delete(key);
    }
  }
}
