import type { PhoneFiles } from '../../system/system.js';

/** The stopwatch and the timer as they were left. */
export interface ClockState {
  stopwatch?: { runs: boolean; laps: number; ms: number };
  /** `done`: how many timers have run to their end. */
  timer?: { runs: boolean; seconds: number; done: number };
}

/** Keeps what the clock does in a file, as clocks do, so that it can be read from outside of the app. */
export class ClockRecord {
  readonly #files: PhoneFiles;
  readonly #state: ClockState = {};
  #last: Promise<void> = Promise.resolve();

  constructor(files: PhoneFiles) {
    this.#files = files;
  }

  /** Writes a new state of one part. The writes are made one after the other. */
  note(change: ClockState): Promise<void> {
    Object.assign(this.#state, change);
    const text = JSON.stringify(this.#state);
    const write = (): Promise<void> => this.#files.write('/data/data/com.cloudphone.clock/files/clock.json', text);
    this.#last = this.#last.then(write, write);
    return this.#last;
  }
}
