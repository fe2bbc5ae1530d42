import { Counter, Gauge, type Registry } from 'prom-client';
import type { CrashKindWord } from './found-crash.js';

/** Metrics of the watch for crashes. */
export interface CrashMetrics {
  /** Counts a crash. One that is not reported is one too many of its minute. */
  seen(kind: CrashKindWord, isReported: boolean): void;
}

const KINDS: readonly CrashKindWord[] = ['java', 'native', 'anr'];

/** `watches` returns the number of phones that are watched. */
export function crashMetrics(metrics: Registry, watches: () => number): CrashMetrics {
  const registers = [metrics];
  new Gauge({
    name: 'screen_crash_watches',
    help: 'Phones whose logs are watched for crashes of apps',
    registers,
    collect() {
      this.set(watches());
    },
  });
  const crashes = new Counter({
    name: 'screen_crashes_seen_total',
    help: 'Crashes of apps that were found in logs of phones, those that were not reported included',
    labelNames: ['kind', 'reported'],
    registers,
  });
  // The series start at 0, so that the first crash shows as an increase and not as a new series.
  for (const kind of KINDS) crashes.inc({ kind, reported: 'true' }, 0);
  return { seen: (kind, isReported) => crashes.inc({ kind, reported: String(isReported) }) };
}
