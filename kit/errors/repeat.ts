import { begunAhead } from '../async/begun-ahead.js';
import type { Clock, Timer } from '../async/clock.js';
import { databaseUnavailable } from './database-unavailable.js';
import { ApiError } from './api-error.js';
import type { Log } from '../log/log.js';
import { Cancellation } from '../async/within.js';

/** A failure that comes again is logged once in this time, ms. */
const SAME_FAILURE_MS = 60_000;

export interface RepeatOptions {
  clock: Clock;
  log: Log;
  /** The time from the end of one run to the beginning of the next, ms. */
  everyMs: number;
  /** The time from now to the first run, ms. Absent: `everyMs`. */
  firstMs?: number;
  /** Completes "could not …" in the log. */
  step: string;
}

/** Work that is done again and again. */
export interface Loop {
  /** Runs the work now, or once more after the run under way. */
  soon(): void;
  /** Ends the loop: aborts the signal of the run under way, and waits for its end. */
  close(): Promise<void>;
}

/** Runs `work` regularly. A run that fails is logged, where it fails as before once a minute, and the next one comes as usual. */
export function repeat(
  { clock, log, everyMs, firstMs = everyMs, step }: RepeatOptions,
  work: (signal: AbortSignal) => Promise<unknown>,
): Loop {
  const closing = new Cancellation();
  const { signal } = closing;
  let timer: Timer | undefined;
  let run = Promise.resolve();
  let isRunning = false;
  let isWantedAgain = false;
  let logged: { failure: string; atMs: number } | undefined;

  const note = (error: unknown): void => {
    const [failure, atMs] = [String(error), clock.monotonicMs()];
    if (logged?.failure === failure && atMs - logged.atMs < SAME_FAILURE_MS) return;
    logged = { failure, atMs };
    // A service or database that is away is expected to come back; any other error is a fault of ours.
    const isAway = error instanceof ApiError || databaseUnavailable(error) !== undefined;
    log[isAway ? 'warn' : 'error']({ err: error }, `could not ${step}; trying again`);
  };
  const attempt = async (): Promise<void> => {
    try {
      await work(signal);
      logged = undefined;
    } catch (error) {
      if (!signal.aborted) note(error);
    } finally {
      isRunning = false;
      if (isWantedAgain) begin();
      else wait(everyMs);
    }
  };
  const begin = (): void => {
    timer?.cancel();
    if (signal.aborted) return;
    isWantedAgain = isRunning;
    if (isRunning) return;
    isRunning = true;
    run = begunAhead(attempt());
  };
  const wait = (ms: number): void => {
    if (!signal.aborted) timer = clock.after(ms, begin);
  };

  wait(firstMs);
  return {
    soon: begin,
    close: async () => {
      closing.abort(new Error('closing'));
      timer?.cancel();
      await run;
    },
  };
}
