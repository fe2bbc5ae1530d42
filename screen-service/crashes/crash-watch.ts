import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Clock, Timer } from '../../kit/async/clock.js';
import { WakeSignal } from '../../kit/async/wake-signal.js';
import type { LogLine } from '../logs/log-line.js';
import { CrashParser } from './crash-parser.js';
import type { FoundCrash } from './found-crash.js';

/** A process makes one report of each type in this time, by the phone's clock, ms. The device service holds to the same. */
const MINUTE_MS = 60_000;

/** Most crashes of one phone that are reported of one minute. More processes than these crash only where somebody wants it so. */
const MAX_REPORTS_A_MINUTE = 20;

/**
 * Most crashes of one phone that are reported at once, whatever times its log gives them. A device keeps as many, so a log that is read from
 * its beginning loses none. Each minute makes room for MAX_REPORTS_A_MINUTE more.
 */
const MAX_REPORTS_AT_ONCE = 100;

/** Most crashes that are remembered for steps that are under way. */
const MAX_SEEN = 20;

/** A crash that was seen while somebody may have been at work on the phone. Its trace is left out, as it would hold memory for long. */
export interface SeenCrash {
  found: Pick<FoundCrash, 'kind' | 'process' | 'package' | 'reason' | 'wasInFront'>;
  /** When it was seen, or happened where an older line shows it, monotonic ms. */
  seenMs: number;
  /** The id under which it is kept; undefined when it is not. */
  id: Promise<string | undefined>;
}

export interface CrashWatchParts {
  clock: Clock;
  /** Returns a text of the log without the secrets that were typed into the phone. */
  hide: (text: string) => string;
  /** Returns the id under which the crash is kept. */
  report: (found: FoundCrash) => Promise<string | undefined>;
  /** Is called with each crash, reported or not. */
  onSeen: (found: FoundCrash, isReported: boolean) => void;
}

/** Watches the log of one phone for crashes, and reports them. */
export class CrashWatch {
  readonly #parts: CrashWatchParts;
  readonly #parser = new CrashParser();
  readonly #news = new WakeSignal();
  readonly #seen: SeenCrash[] = [];
  /** The latest reported crash of each process and type. */
  readonly #reported = new Map<string, { atMs: number; id: Promise<string | undefined> }>();
  #minute = { startMs: 0, count: 0 };
  /** How many crashes may be reported now, and when that was so, monotonic ms. */
  #room = { count: MAX_REPORTS_AT_ONCE, atMs: 0 };
  #timer: Timer | undefined;
  /** The time of the phone's clock less the monotonic time while old lines may come, ms. */
  #phoneAheadMs: number | undefined;

  constructor(parts: CrashWatchParts) {
    this.#parts = parts;
  }

  /** Takes lines of the log. `phoneNowMs`: the time of the phone's clock, where some of them may be old. Absent: all are new. */
  push(lines: readonly LogLine[], phoneNowMs?: number): void {
    const nowMs = this.#parts.clock.monotonicMs();
    this.#phoneAheadMs = phoneNowMs === undefined ? undefined : phoneNowMs - nowMs;
    this.#take(lines.flatMap((line) => this.#parser.push(line, nowMs)));
  }

  /** Whether an app has crashed since `sinceMs`, or a crash has begun. */
  hasNewsSince(sinceMs: number): boolean {
    return this.#parser.openPackages.length > 0 || this.#seen.some(({ seenMs }) => seenMs >= sinceMs);
  }

  /**
   * Returns the first crash of one of these packages since `sinceMs`, or of an app that is known to have been in front. A crash whose lines
   * are still coming is waited for, until `untilMs`. Apps that do not respond do not count, as they are still there.
   */
  async crashOf(packages: ReadonlySet<string>, sinceMs: number, untilMs: number): Promise<SeenCrash | undefined> {
    const { clock } = this.#parts;
    for (;;) {
      const seen = this.#seen.find(
        ({ found, seenMs }) =>
          seenMs >= sinceMs && found.kind !== 'anr' && (found.wasInFront || packages.has(found.package)),
      );
      if (seen !== undefined) return seen;
      const restMs = untilMs - clock.monotonicMs();
      if (restMs <= 0 || !this.#parser.openPackages.some((name) => packages.has(name))) return undefined;
      await this.#news.wait({ timeout: { clock, ms: restMs } });
    }
  }

  close(): void {
    this.#timer?.cancel();
    this.#news.wake();
  }

  #take(crashes: readonly FoundCrash[]): void {
    for (const found of crashes) this.#see(found);
    if (crashes.length > 0) this.#news.wake();
    this.#timer?.cancel();
    const { clock } = this.#parts;
    const completeMs = this.#parser.nextCompleteMs;
    if (completeMs === undefined) return;
    this.#timer = clock.after(Math.max(1, completeMs - clock.monotonicMs()), () =>
      this.#take(this.#parser.takeComplete(clock.monotonicMs())),
    );
  }

  #see(found: FoundCrash): void {
    const { clock, hide, onSeen, report } = this.#parts;
    const key = `${found.kind === 'anr' ? 'anr' : 'crash'} ${found.process}`;
    const known = this.#reported.get(key);
    const isRepeated = known !== undefined && Math.abs(found.atMs - known.atMs) < MINUTE_MS;
    const isReported = !isRepeated && this.#hasRoomAt(found.atMs) && this.#takeRoom();
    onSeen(found, isReported);
    const reason = hide(found.reason);
    const id = isReported
      ? begunAhead(report({ ...found, reason, trace: hide(found.trace) }))
      : (known?.id ?? Promise.resolve(undefined));
    if (isReported) this.#remember(key, { atMs: found.atMs, id });
    const { kind, process, package: name, wasInFront } = found;
    const seen = { kind, process, package: name, reason, wasInFront };
    const nowMs = clock.monotonicMs();
    // An act that is under way is not warned of what happened long before it.
    const seenMs = this.#phoneAheadMs === undefined ? nowMs : Math.min(nowMs, found.atMs - this.#phoneAheadMs);
    this.#seen.push({ found: seen, seenMs, id });
    if (this.#seen.length > MAX_SEEN) this.#seen.shift();
  }

  #remember(key: string, reported: { atMs: number; id: Promise<string | undefined> }): void {
    this.#reported.delete(key);
    this.#reported.set(key, reported);
    const [oldest] = this.#reported.keys();
    if (this.#reported.size > MAX_REPORTS_A_MINUTE && oldest !== undefined) this.#reported.delete(oldest);
  }

  /** Returns whether there is room for one more report by our own clock: a phone can write any times into its log. */
  #takeRoom(): boolean {
    const nowMs = this.#parts.clock.monotonicMs();
    const { count, atMs } = this.#room;
    const more = ((nowMs - atMs) / MINUTE_MS) * MAX_REPORTS_A_MINUTE;
    const room = Math.min(MAX_REPORTS_AT_ONCE, count + more);
    this.#room = { count: room < 1 ? room : room - 1, atMs: nowMs };
    return room >= 1;
  }

  /** Whether a crash of this time may be reported. It counts by the times of the crashes, as a log may also be read later. */
  #hasRoomAt(atMs: number): boolean {
    const startMs = Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
    if (startMs !== this.#minute.startMs) this.#minute = { startMs, count: 0 };
    this.#minute.count++;
    return this.#minute.count <= MAX_REPORTS_A_MINUTE;
  }
}
