// Functions of the platform: programs and tests may pass their own.

/** Waits for a time. Rejects with the signal's reason when it is aborted. */
export type Wait = (ms: number, signal?: AbortSignal) => Promise<void>;

/** Waits by the timers of the platform. */
export const platformWait: Wait = (ms, signal) =>
  new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason instanceof Error ? signal.reason : new Error('The wait was aborted.'));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });

/** Returns a random number, 0 <= n < 1. */
export const platformRandom: () => number = Math.random;

/** Calls the global `fetch`. It is looked up at each request, so that a later replacement is used. */
export const platformFetch = (request: Request, init: RequestInit): Promise<Response> => fetch(request, init);

/** Calls `onIdle` when `feed` was not called for `ms`. */
export function platformWatchdog(ms: number, onIdle: () => void): { feed: () => void; stop: () => void } {
  let timer = setTimeout(onIdle, ms);
  return {
    feed: () => {
      clearTimeout(timer);
      timer = setTimeout(onIdle, ms);
    },
    stop: () => clearTimeout(timer),
  };
}
