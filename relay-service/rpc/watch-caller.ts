import type { Clock } from '../../kit/async/clock.js';
import { ApiError, type ErrorKind } from '../../kit/errors/api-error.js';
import { STREAM_CHECK_MS } from '../../kit/rpc/while-allowed.js';

/** Failures of a check after which the caller may not go on. A device service that is away is no reason to end a good connection. */
const REFUSALS: readonly ErrorKind[] = ['unauthorized', 'forbidden', 'not_found'];

/**
 * Repeats `identify`, which identifies a caller, every second. Calls `onRefused` once it refuses, and ends. It also ends when `signal`
 * aborts.
 *
 * The check of keys by their ids (RelayUpkeep) does not know from which address a client comes, nor what an identity provider says of a
 * person. The identification knows all by which the caller's next request would be refused.
 */
export async function watchCaller(
  identify: () => Promise<unknown>,
  { clock, signal, onRefused }: { clock: Clock; signal: AbortSignal; onRefused: () => void },
): Promise<void> {
  for (;;) {
    try {
      await clock.sleep(STREAM_CHECK_MS, signal);
      await identify();
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiError) || !REFUSALS.includes(error.kind)) continue;
      onRefused();
      return;
    }
  }
}
