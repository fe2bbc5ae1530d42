import type { Clock, Timer } from './clock.js';

/** Runs `work` again and again, with `ms` between the end of one run and the begin of the next. `work` must not throw. */
export function repeat(clock: Clock, ms: number, work: () => Promise<void>): { close(): void } {
  let closed = false;
  let timer: Timer | undefined;
  const next = (): void => {
    if (closed) return;
    timer = clock.after(ms, () => void work().finally(next));
  };
  next();
  return {
    close: () => {
      closed = true;
      timer?.cancel();
    },
  };
}
