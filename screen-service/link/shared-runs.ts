import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Call } from '../../kit/call/call.js';
import { unlessAborted } from '../../kit/async/within.js';

/** The error of a run that was ended because every call that waited for it had ended. */
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
 * Shares work between calls that need the same fresh result at the same time. A call joins only a run that has not begun. A run under way
 * may have read the phone before the call, so that its result is too old. A run that waits for its turn is shared by all calls that come
 * until it begins. A run ends early when all calls that wait for it have ended.
 */
export class SharedRuns<T> {
  readonly #run: (signal: AbortSignal) => Promise<T>;
  readonly #most: number;
  #running = 0;
  #waiting: Run<T> | undefined;

  /** Does at most `most` runs at the same time. */
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
    const result = begunAhead(
      new Promise<T>((resolve, reject) => {
        begin = () => void this.#begin(abandon.signal).then(resolve, reject);
      }),
    );
    return { result, abandon, begin, calls: 0 };
  }

  /**
   * Ends a run that no call waits for. A run that still waits for its turn is dropped as well, so that no later call joins an ended run.
   */
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
