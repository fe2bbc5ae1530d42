import type { LimitFunction } from 'p-limit';

/** Does `work` in its turn. Rejects at once when the signal aborts before: a phone whose boot waits for others can be stopped or deleted. */
export function inTurn<T>(limit: LimitFunction, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = (): void => reject(signal?.reason as Error);
    signal?.addEventListener('abort', onAbort, { once: true });
    void limit(async () => {
      signal?.removeEventListener('abort', onAbort);
      if (signal?.aborted !== true) await work().then(resolve, reject);
    });
  });
}
