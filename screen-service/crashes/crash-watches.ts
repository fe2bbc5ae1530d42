import type { Clock } from '../../kit/async/clock.js';
import type { LocatedPhone } from '../link/reached-phone.js';
import type { SharedLogs } from '../logs/shared-logs.js';
import type { CrashReports } from './crash-reports.js';
import { CrashWatch } from './crash-watch.js';
import type { CrashMetrics } from './metrics.js';

/** How far back the log is read of a phone that is watched because somebody begins to use it, s. */
const RECENT_S = 10;

/** A running phone that is watched, and the time since its start, s. */
export interface WatchedPhone {
  phone: LocatedPhone;
  uptimeS: number;
}

interface Held {
  watch: CrashWatch;
  holders: number;
  stop: () => void;
}

export interface CrashWatchesParts {
  clock: Clock;
  logs: SharedLogs;
  reports: CrashReports;
  metrics: CrashMetrics;
}

/** The watches of phones: of those that run on this host, and of those that are in use here. */
export class CrashWatches {
  readonly #parts: CrashWatchesParts;
  readonly #held = new Map<string, Held>();
  /** The watches that are held because their phones run on this host; each value ends one. */
  readonly #ofHost = new Map<string, () => void>();

  constructor(parts: CrashWatchesParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#held.size;
  }

  /** Watches a phone that is in use. Returns its watch, and the function that gives it up. */
  hold(phone: LocatedPhone, sinceS = RECENT_S): { watch: CrashWatch; release: () => void } {
    const key = keyOf(phone);
    const held = this.#held.get(key) ?? this.#begin(key, phone, sinceS);
    held.holders++;
    let isHeld = true;
    return {
      watch: held.watch,
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        held.holders--;
        if (held.holders > 0) return;
        this.#held.delete(key);
        held.stop();
      },
    };
  }

  /** Watches these phones of this host, and no others. */
  watchHost(phones: readonly WatchedPhone[]): void {
    const wanted = new Map(phones.map((one) => [keyOf(one.phone), one]));
    for (const [key, release] of this.#ofHost) {
      if (wanted.has(key)) continue;
      this.#ofHost.delete(key);
      release();
    }
    for (const [key, { phone, uptimeS }] of wanted)
      if (!this.#ofHost.has(key)) this.#ofHost.set(key, this.hold(phone, uptimeS).release);
  }

  close(): void {
    for (const { stop } of this.#held.values()) stop();
    this.#held.clear();
    this.#ofHost.clear();
  }

  #begin(key: string, phone: LocatedPhone, sinceS: number): Held {
    const { clock, logs, reports, metrics } = this.#parts;
    const watch = new CrashWatch({
      clock,
      report: (found) => reports.report(phone, found),
      onSeen: ({ kind }, isReported) => metrics.seen(kind, isReported),
    });
    const unwatch = logs.of(phone).watch(sinceS, (lines) => watch.push(lines));
    const stop = (): void => {
      unwatch();
      watch.close();
    };
    const held = { watch, holders: 0, stop };
    this.#held.set(key, held);
    return held;
  }
}

/** One start of a phone at one address. */
function keyOf({ phoneId, generation, identity, host, port }: LocatedPhone): string {
  return `${phoneId} ${generation} ${identity} ${host} ${port}`;
}
