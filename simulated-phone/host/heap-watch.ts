import { getHeapStatistics } from 'node:v8';
import type { Clock } from '../../kit/async/clock.js';

/** How often the heap is checked, ms. */
const CHECK_MS = 1_000;

/** The heap counts as nearly full when it uses more than this part of its limit. */
const FULL = 0.85;

/** Calls `onFull` while the JavaScript heap of this process is nearly full. A heap beyond its limit ends Node and all phones with it. */
export class HeapWatch {
  readonly #clock: Clock;
  readonly #onFull: () => void;
  readonly #fill: () => number;
  #timer: { cancel(): void };

  /** `fill` returns the used part of the limit, 0 to 1. */
  constructor(options: { clock: Clock; onFull: () => void; fill?: () => number }) {
    this.#clock = options.clock;
    this.#onFull = options.onFull;
    this.#fill = options.fill ?? heapFill;
    this.#timer = this.#again();
  }

  close(): void {
    this.#timer.cancel();
  }

  #again(): { cancel(): void } {
    return this.#clock.after(CHECK_MS, () => {
      if (this.#fill() > FULL) this.#onFull();
      this.#timer = this.#again();
    });
  }
}

function heapFill(): number {
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  return used_heap_size / heap_size_limit;
}
