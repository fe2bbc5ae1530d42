import type { Clock, Timer } from './clock.js';

/**
 * Runs `work` again and again, with `ms` between the end of one run and the begin of the next; `firstMs` (default `ms`) before the
 * first. `work` must not throw. `close` ends it, and resolves when the run under way has ended.
 */
export function repeat(clock: Clock, ms: number, work: () => Promise<void>, firstMs = ms): { close(): Promise<void> } {
  let closed = false;
  let timer: Timer | undefined;
  let run = Promise.resolve();
  const runAfter = (delayMs: number): void => {
    if (closed) return;
    timer = clock.after(delayMs, () => {
      run = work();
      void run.finally(() => runAfter(ms));
    });
  };
  runAfter(firstMs);
  return {
    close: async () => {
      closed = true;
      timer?.cancel();
      await run;
    },
  };
}
