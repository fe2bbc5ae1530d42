import type { Clock } from '../../clock.js';
import { CommandError } from '../command-error.js';

/** How many documents are looked at between two looks at the clock. */
const STRIDE = 128;

/** Ends a command that takes longer than its `maxTimeMS`. Asked once a document, by whatever walks documents. */
export class Deadline {
  readonly #clock: Clock;
  readonly #atMs: number;
  #asked = 0;

  /** @param maxTimeMs 0 or absent: no limit */
  constructor(clock: Clock, maxTimeMs: number | undefined) {
    this.#clock = clock;
    this.#atMs = maxTimeMs === undefined || maxTimeMs === 0 ? Infinity : clock.monotonicMs() + maxTimeMs;
  }

  check(): void {
    if (this.#atMs === Infinity || ++this.#asked % STRIDE !== 0) return;
    if (this.#clock.monotonicMs() > this.#atMs)
      throw new CommandError('MaxTimeMSExpired', 'operation exceeded time limit');
  }
}
