import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Timer } from '../../kit/async/clock.js';
import { WakeSignal } from '../../kit/async/wake-signal.js';
import { Cancellation } from '../../kit/async/within.js';
import { phoneTimeout, phoneUnavailable } from '../../phone/link/phone-errors.js';
import type { ReachedPhone } from '../link/reached-phone.js';
import { LogFollower } from './log-follower.js';
import { type LogLine, type LogFilter } from './log-line.js';
import { hasTag, type LogTags, tagArguments } from './log-tags.js';
import { LogReader } from './read-logs.js';
import { PHONE_CLOCK_COMMAND } from './phone-time.js';
import { SeenLines } from './seen-lines.js';

/** How far before the place where it was left a log is read again, s. It covers the whole seconds of `date`, and lines that came late. */
const MARGIN_S = 3;

/** Pause after a reading that failed, ms. It doubles with each further failure, up to `MAX_PAUSE_MS`. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

/** A reading that has lasted so long counts as a good one: the pause after it is short again, ms. */
const GOOD_MS = 30_000;

/** A log on which nothing comes for this time is read anew, ms: the connection may be dead without either end knowing it. */
const MAX_SILENT_MS = 600_000;

/** A phone has printed its older lines within this time after it began, ms. */
const CAUGHT_UP_MS = 5_000;

const EVERY_LINE: LogFilter = { level: undefined, tag: undefined, sinceMs: undefined };

/** What one logcat prints: every line, or those of the watched tags. */
type Extent = 'full' | 'watched';

/** A reading under way. */
interface Reading {
  extent: Extent;
  stop: Cancellation;
  /** When the phone began to print its log, monotonic ms; undefined: it has not yet. */
  begunMs: number | undefined;
}

/** Is called with watched lines. `phoneNowMs`: the time of the phone's clock while some of them may be old; undefined: all are new. */
export type OnWatchedLines = (lines: readonly LogLine[], phoneNowMs: number | undefined) => void;

interface Watcher {
  onLines: OnWatchedLines;
}

/**
 * The log of one phone, which all who follow it share. One logcat runs at a time. While anyone follows the log, it prints every line; while
 * there are only watchers, it prints only lines of their tags. One takes the place of the other without a gap: each begins where the last
 * one ended, and watchers get every line once. A reading that fails begins again after a pause while there are watchers.
 */
export class SharedLog {
  readonly #phone: ReachedPhone;
  readonly #tags: LogTags;
  readonly #watchers = new Set<Watcher>();
  readonly #followers = new Set<LogFollower>();
  readonly #seen = new SeenLines();
  readonly #changed = new WakeSignal();
  readonly #onIdle: () => void;
  #reading: Reading | undefined;
  #loop: Promise<void> | undefined;
  #isClosed = false;
  /** Until when the log has been read, monotonic ms. */
  #readUntilMs: number;
  /** Since when watchers have wanted the lines, monotonic ms. */
  #watchedSinceMs = Infinity;
  /** Since when they have yet to get them. It is before `#readUntilMs` until a filtered reading has printed all older lines. */
  #owedSinceMs = Infinity;

  /** `tags`: what watchers get. `onIdle` is called when nobody reads the log any more. */
  constructor(phone: ReachedPhone, tags: LogTags, onIdle: () => void) {
    this.#onIdle = onIdle;
    this.#phone = phone;
    this.#tags = tags;
    this.#readUntilMs = phone.clock.monotonicMs();
  }

  /**
   * Passes lines of the watched tags to `onLines`, each once: those of the last `sinceS` seconds, and then new ones. Returns the function
   * that ends it. Where watchers have had no lines of so long ago, the older ones come now. While the log is followed, they come after that.
   */
  watch(sinceS: number, onLines: OnWatchedLines): () => void {
    const sinceMs = this.#phone.clock.monotonicMs() - sinceS * 1_000;
    if (sinceMs < this.#watchedSinceMs) {
      this.#watchedSinceMs = sinceMs;
      this.#owedSinceMs = sinceMs;
      if (this.#reading?.extent === 'watched') this.#stopReading(this.#reading, 'older lines are wanted');
    }
    const watcher = { onLines };
    this.#watchers.add(watcher);
    this.#update();
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.#watchedSinceMs = this.#owedSinceMs = Infinity;
      this.#update();
    };
  }

  /** Follows all lines that pass the filter, from now on and some seconds before. The caller must leave. */
  follow(filter: Pick<LogFilter, 'level' | 'tag'>): LogFollower {
    const follower: LogFollower = new LogFollower({ ...filter, sinceMs: undefined }, () => {
      this.#followers.delete(follower);
      this.#update();
    });
    this.#followers.add(follower);
    this.#update();
    if (this.#reading?.extent === 'full' && this.#reading.begunMs !== undefined) follower.add([]);
    return follower;
  }

  /** Ends everything; followers fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watchers.clear();
    this.#failFollowers(phoneUnavailable('The phone is no longer connected.'));
    this.#update();
    await this.#loop;
  }

  get #wanted(): Extent | undefined {
    if (this.#isClosed) return undefined;
    if (this.#followers.size > 0) return 'full';
    return this.#watchers.size > 0 ? 'watched' : undefined;
  }

  #update(): void {
    const wanted = this.#wanted;
    if (this.#reading !== undefined && this.#reading.extent !== wanted)
      this.#stopReading(this.#reading, 'the log is read in another way');
    this.#changed.wake();
    if (wanted !== undefined) this.#loop ??= begunAhead(this.#readAll().finally(() => this.#loopEnded()));
  }

  /** Stops a reading that is known to work. What was printed until now has been read. */
  #stopReading({ begunMs, stop }: Reading, reason: string): void {
    if (begunMs !== undefined) this.#readUntilMs = this.#phone.clock.monotonicMs();
    stop.abort(new Error(reason));
  }

  #loopEnded(): void {
    this.#loop = undefined;
    this.#phone.link.drop();
    // Somebody may have come in the moment of the end.
    if (this.#wanted === undefined) this.#onIdle();
    else this.#update();
  }

  async #readAll(): Promise<void> {
    const { clock } = this.#phone;
    let pauseMs = FIRST_PAUSE_MS;
    for (let extent = this.#wanted; extent !== undefined; extent = this.#wanted) {
      const beganMs = clock.monotonicMs();
      const stop = new Cancellation();
      const reading: Reading = { extent, stop, begunMs: undefined };
      this.#reading = reading;
      const failure = await this.#read(reading).then(
        () => phoneUnavailable('The phone stopped printing its log.'),
        (error: unknown) => error,
      );
      this.#reading = undefined;
      stop.end();
      if (stop.endedBy !== undefined) continue;
      this.#failFollowers(failure);
      this.#phone.log.debug({ err: failure }, 'the log of a phone could not be read');
      if (clock.monotonicMs() - beganMs >= GOOD_MS) pauseMs = FIRST_PAUSE_MS;
      await this.#pause(pauseMs);
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
    }
  }

  /** Waits, unless somebody comes who follows the log, or nobody is left. */
  async #pause(ms: number): Promise<void> {
    const { clock } = this.#phone;
    const untilMs = clock.monotonicMs() + ms;
    while (this.#wanted === 'watched' && clock.monotonicMs() < untilMs)
      await this.#changed.wait({ timeout: { clock, ms: untilMs - clock.monotonicMs() } });
  }

  async #read(reading: Reading): Promise<void> {
    const { extent, stop } = reading;
    const { clock, link } = this.#phone;
    const owedMs = this.#owedSinceMs;
    const sinceMs = extent === 'full' ? this.#readUntilMs : Math.min(this.#readUntilMs, owedMs);
    const agoS = Math.ceil((clock.monotonicMs() - sinceMs) / 1_000) + MARGIN_S;
    const filter = extent === 'full' ? '' : ` -b main,system,crash ${tagArguments(this.#tags)}`;
    // The phone computes the time at which to begin, so that it does not matter whether its clock is right.
    const command = `${PHONE_CLOCK_COMMAND}; logcat -v threadtime -T "$(($(date +%s)-${agoS})).000"${filter}`;
    const reader = new LogReader(EVERY_LINE, clock);
    this.#seen.expectAgain();
    const late = new Cancellation([stop.signal]);
    let timer = this.#endLate(late);
    try {
      await link.stream(
        `exec:${command}`,
        // No deadline: a log may be silent for hours.
        { timeoutMs: Infinity, doing: 'follow its log', signal: late.signal },
        (chunk) => {
          timer.cancel();
          timer = this.#endSilence(reading);
          const lines = reader.push(chunk).map(({ line }) => line);
          this.#readUntilMs = clock.monotonicMs();
          if (reader.hasBegun) reading.begunMs ??= clock.monotonicMs();
          this.#deliver(lines, reading, reader.phoneNowMs);
        },
      );
    } finally {
      timer.cancel();
      late.end();
      const isCaughtUp = reading.begunMs !== undefined && clock.monotonicMs() - reading.begunMs >= CAUGHT_UP_MS;
      // Somebody may have asked for others meanwhile.
      if (extent === 'watched' && isCaughtUp && this.#owedSinceMs === owedMs) this.#owedSinceMs = Infinity;
    }
  }

  /** Fails a reading that does not begin: a connection that is dead does not fail by itself. The next reading gets a new one. */
  #endLate(late: Cancellation): Timer {
    const { clock, limits, link } = this.#phone;
    const limitMs = limits.connectTimeoutMs + limits.commandTimeoutMs;
    return clock.after(limitMs, () => {
      late.abort(phoneTimeout('print its log', limitMs));
      link.drop();
    });
  }

  /** Stops a filtered reading on which nothing comes. It is begun again at once, which shows whether the connection is dead. */
  #endSilence({ extent, stop }: Reading): Timer {
    // Followers would get their last lines once more.
    if (extent === 'full') return { cancel: () => undefined };
    return this.#phone.clock.after(MAX_SILENT_MS, () => stop.abort(new Error('nothing has come for a long time')));
  }

  #deliver(lines: readonly LogLine[], { extent, begunMs }: Reading, phoneNowMs: number | undefined): void {
    const watched = this.#seen.takeNew(lines.filter((line) => hasTag(this.#tags, line)));
    const mayBeOld = begunMs !== undefined && this.#phone.clock.monotonicMs() - begunMs < CAUGHT_UP_MS;
    if (watched.length > 0)
      for (const { onLines } of this.#watchers) onLines(watched, mayBeOld ? phoneNowMs : undefined);
    if (extent === 'full' && begunMs !== undefined) for (const follower of this.#followers) follower.add(lines);
  }

  #failFollowers(error: unknown): void {
    for (const follower of this.#followers) follower.fail(error);
    this.#followers.clear();
  }
}
