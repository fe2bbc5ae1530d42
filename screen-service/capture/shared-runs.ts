import type { Call } from '../../kit/call.js';
import { unlessAborted } from '../../kit/within.js';

/** A run was ended because every call that waited for it has ended. */
export class Abandoned extends Error {
  override name = 'Abandoned';

  constructor() {
    super('no call waits for it any more');
  }
}

interface Run<T> {
  result: Promise<T>;
  begin: () => void;
  abandon: AbortController;
  /** Calls that wait for the result. */
  calls: number;
}

/**
 * Shares work between calls that need the same fresh result at the same time. A call joins only a run that begins after the call:
 * one that is under way may have read the phone before, so its result may be older than the call. So a run that waits for its turn is
 * shared by all calls that come until it begins, and one that has begun cannot be joined. A run ends early when
 * all calls that wait for it have ended.
 */
export class SharedRuns<T> {
  readonly #run: (signal: AbortSignal) => Promise<T>;
  readonly #most: number;
  #running = 0;
  #waiting: Run<T> | undefined;

  /** At most `most` runs go on at once. */
  constructor(run: (signal: AbortSignal) => Promise<T>, most: number) {
    this.#run = run;
    this.#most = most;
  }

  /** Returns the result of a run that begins now or later; rejects when the call ends first. */
  async next({ signal }: Pick<Call, 'signal'>): Promise<T> {
    signal.throwIfAborted();
    const run = this.#waiting ?? this.#createRun();
    if (this.#running < this.#most) run.begin();
    else this.#waiting = run;
    run.calls++;
    try {
      return await unlessAborted(signal, run.result);
    } finally {
      run.calls--;
      if (run.calls === 0) this.#abandon(run);
    }
  }

  #createRun(): Run<T> {
    const abandon = new AbortController();
    let begin: () => void = () => undefined;
    const result = new Promise<T>((resolve, reject) => {
      begin = () => void this.#begin(abandon.signal).then(resolve, reject);
    });
    return { result, abandon, begin, calls: 0 };
  }

  /** Ends a run that no call waits for. One that still waits for its turn is dropped: a later call would get the result of an ended run. */
  #abandon(run: Run<T>): void {
    if (this.#waiting === run) this.#waiting = undefined;
    run.abandon.abort(new Abandoned());
  }

  async #begin(signal: AbortSignal): Promise<T> {
    this.#running++;
    try {
      return await this.#run(signal);
    } finally {
      this.#running--;
      const next = this.#waiting;
      this.#waiting = undefined;
      next?.begin();
    }
  }
}
