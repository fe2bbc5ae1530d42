import { type Clock, systemClock } from '../kit/async/clock.js';

/** Returns a clock that is `factor` times as fast as real time. It shortens timeouts of code that waits for other processes. */
export function fastClock(factor: number): Clock {
  const startMs = systemClock.now();
  const startMonotonicMs = systemClock.monotonicMs();
  return {
    now: () => startMs + (systemClock.now() - startMs) * factor,
    monotonicMs: () => startMonotonicMs + (systemClock.monotonicMs() - startMonotonicMs) * factor,
    sleep: (ms, signal) => systemClock.sleep(ms / factor, signal),
    after: (ms, run) => systemClock.after(ms / factor, run),
  };
}
