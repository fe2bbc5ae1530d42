import type { Clock } from '../kit/async/clock.js';
import type { Log } from '../kit/log/log.js';
import { within } from '../kit/async/within.js';

/** How long a phone, or a process that runs phones, may take to report its state for a list of all phones, ms. */
export const LIST_RESPONSE_MS = 5_000;

export interface ListResponse<T> {
  /** Reads one part of the list: a phone, or the phones of a process. */
  read: (signal: AbortSignal) => Promise<T>;
  /** The part, for the log. */
  part: Record<string, string | number>;
  /** Ends the whole list. */
  signal: AbortSignal | undefined;
  clock: Clock;
  log: Log;
}

/**
 * Returns one part of a list of phones; undefined, with a warning in the log, when reading it fails or takes longer than LIST_RESPONSE_MS.
 * The other parts are listed all the same. Throws when `signal` aborts.
 */
export async function listResponse<T>({ read, part, signal, clock, log }: ListResponse<T>): Promise<T | undefined> {
  const onTimeout = (): Error => new Error(`no response within ${LIST_RESPONSE_MS / 1000} s`);
  try {
    return await within({ clock, timeoutMs: LIST_RESPONSE_MS, signals: [signal], onTimeout }, read);
  } catch (error) {
    signal?.throwIfAborted();
    log.warn({ ...part, err: error }, 'the state of phones is unknown now');
    return undefined;
  }
}
