import { ApiError } from '../../../kit/errors/api-error.js';
import type { Log } from '../../../kit/log/log.js';

/**
 * Publishes pending events one after the other, and calls `note` with each that the webhook service has accepted. A refused event stays
 * pending, and delays no other one. Throws at the first event that finds the service away.
 */
export async function publishEach<T>(
  pending: AsyncIterable<T> | Iterable<T>,
  { publish, note }: { publish: (one: T) => Promise<void>; note: (one: T) => Promise<void> },
  { signal, log }: { signal: AbortSignal; log: Log },
): Promise<void> {
  for await (const one of pending) {
    try {
      await publish(one);
    } catch (error) {
      if (signal.aborted || isAway(error)) throw error;
      log.error({ err: error }, 'the webhook service refuses an event');
      continue;
    }
    await note(one);
  }
}

/** Returns whether the webhook service cannot be reached, or takes no events at present. */
export function isAway(error: unknown): boolean {
  return error instanceof ApiError && (error.kind === 'unavailable' || error.kind === 'timeout');
}
