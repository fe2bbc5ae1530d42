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
  /** How far back the log has been read, s. */
  sinceS: number;
  unwatch: () => void;
}

export interface CrashWatchesParts {
  clock: Clock;
  logs: SharedLogs;
  /** Returns a text of a phone's log without the secrets that were typed into the phone. */
  hide: (phone: LocatedPhone, text: string) => string;
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

  /**
   * Watches a phone, for which the log is also read of the last `sinceS` seconds. Returns its watch, and the function that gives it up.
   * Absent: the phone is in use, and it is watched from now on.
   */
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
        end(held);
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
    for (const [key, { phone, uptimeS }] of wanted) {
      if (this.#ofHost.has(key)) continue;
      const inUse = this.#held.get(key);
      if (inUse !== undefined && inUse.sinceS < uptimeS) this.#readBack(inUse, phone, uptimeS);
      this.#ofHost.set(key, this.hold(phone, uptimeS).release);
    }
  }

  close(): void {
    for (const held of this.#held.values()) end(held);
    this.#held.clear();
    this.#ofHost.clear();
  }

  #begin(key: string, phone: LocatedPhone, sinceS: number): Held {
    const { clock, logs, hide, reports, metrics } = this.#parts;
    const watch = new CrashWatch({
      clock,
      hide: (text) => hide(phone, text),
      report: (found) => reports.report(phone, found),
      onSeen: ({ kind }, isReported) => metrics.seen(kind, isReported),
    });
    const unwatch = logs.of(phone).watch(sinceS, (...lines) => watch.push(...lines));
    const held = { watch, holders: 0, sinceS, unwatch };
    this.#held.set(key, held);
    return held;
  }

  /** Reads the older lines too of a phone that is already watched, as when it was in use before it was known to run here. */
  #readBack(held: Held, phone: LocatedPhone, sinceS: number): void {
    const { watch, unwatch } = held;
    held.sinceS = sinceS;
    held.unwatch = this.#parts.logs.of(phone).watch(sinceS, (...lines) => watch.push(...lines));
    unwatch();
  }
}

function end({ unwatch, watch }: Held): void {
  unwatch();
  watch.close();
}

/** One start of a phone at one address. */
function keyOf({ phoneId, generation, identity, host, port }: LocatedPhone): string {
  return `${phoneId} ${generation} ${identity} ${host} ${port}`;
}
