import { ApiError } from '../../kit/errors.js';
import type { Log } from '../../kit/log.js';

/**
 * Publishes pending events one after the other, and notes each that the webhook service has. One that it refuses stays pending, and keeps
 * no other waiting; while the service is away, none is tried.
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

/** Whether the webhook service is not there, or takes nothing just now. */
function isAway(error: unknown): boolean {
  return error instanceof ApiError && (error.kind === 'unavailable' || error.kind === 'timeout');
}
