import type { Clock } from '../clock.js';

/** What `work` answers, or its error, or after `ms` an error of ours; `work` is told by its signal, and what it answers then is dropped. */
export async function within<T>(clock: Clock, ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController();
  const late = new Promise<never>((_resolve, reject) => {
    limit.signal.addEventListener('abort', () => reject(limit.signal.reason as Error));
  });
  const timer = clock.after(ms, () => limit.abort(new Error(`no answer in ${ms} ms`)));
  try {
    return await Promise.race([work(limit.signal), late]);
  } finally {
    timer.cancel();
  }
}
