import type { Clock } from './clock.js';

export interface FixedWindowsOptions {
  clock: Clock;
  /** Length of each window, ms. */
  windowMs: number;
  /** Keys remembered at the most; the oldest windows go first, so that a flood costs a bounded amount of memory. */
  maxKeys?: number;
}

export interface WindowCount {
  /** Events of the key in its window, this one included. */
  count: number;
  /** The time until the window ends, ms. It is more than 0. */
  resetMs: number;
}

interface Window {
  count: number;
  /** Monotonic time in whole ms, as V8 stores small whole numbers without an allocation. */
  endsMs: number;
}

const MAX_KEYS = 100_000;

/**
 * Counts events by key in windows. A window of a key begins with the first event after the key's last window has ended. Windows that are
 * over are dropped along the way. All windows have one length and are in the order of their beginning, so those windows that are over are
 * in front. Neither timers nor scans are needed.
 */
export class FixedWindows {
  readonly #clock: Clock;
  readonly #windowMs: number;
  readonly #maxKeys: number;
  readonly #windows = new Map<string, Window>();

  constructor({ clock, windowMs, maxKeys = MAX_KEYS }: FixedWindowsOptions) {
    this.#clock = clock;
    this.#windowMs = windowMs;
    this.#maxKeys = maxKeys;
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
    // Up to four ended windows are dropped for each new one: enough to keep up, and never a long pause.
    let rest = 4;
    for (const [key, { endsMs }] of this.#windows) {
      if (this.#windows.size <= this.#maxKeys && (endsMs > nowMs || rest-- === 0)) return;
      this.#windows.delete(key);
    }
  }
}
