import type { Clock } from '../clock.js';

/** Runs `work` with a time limit; its signal aborts then, and a late result is ignored. */
export async function within<T>(clock: Clock, ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController();
  const late = new Promise<never>((_resolve, reject) => {
    limit.signal.addEventListener('abort', () => reject(limit.signal.reason as Error));
  });
  const timer = clock.after(ms, () => limit.abort(new Error(`no response in ${ms} ms`)));
  try {
    return await Promise.race([work(limit.signal), late]);
  } finally {
    timer.cancel();
  }
}
