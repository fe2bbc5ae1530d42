import { begunAhead } from '../../kit/async/begun-ahead.js';
import { WakeSignal } from '../../kit/async/wake-signal.js';
import { Cancellation } from '../../kit/async/within.js';
import { phoneUnavailable } from '../../phone/link/phone-errors.js';
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

const EVERY_LINE: LogFilter = { level: undefined, tag: undefined, sinceMs: undefined };

/** What one logcat prints: every line, or those of the watched tags. */
type Extent = 'full' | 'watched';

/** A reading under way. */
interface Reading {
  extent: Extent;
  stop: Cancellation;
  /** Whether the phone has begun to print its log. */
  hasBegun: boolean;
}

interface Watcher {
  onLines: (lines: readonly LogLine[]) => void;
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

  /** `tags`: what watchers get. `onIdle` is called when nobody reads the log any more. */
  constructor(phone: ReachedPhone, tags: LogTags, onIdle: () => void) {
    this.#onIdle = onIdle;
    this.#phone = phone;
    this.#tags = tags;
    this.#readUntilMs = phone.clock.monotonicMs();
  }

  /**
   * Passes lines of the watched tags to `onLines`, each once: those of the last `sinceS` seconds, and then new ones. Returns the function
   * that ends it. `sinceS` counts for the first watcher only.
   */
  watch(sinceS: number, onLines: (lines: readonly LogLine[]) => void): () => void {
    if (this.#watchers.size === 0 && this.#reading?.extent !== 'full')
      this.#readUntilMs = Math.min(this.#readUntilMs, this.#phone.clock.monotonicMs() - sinceS * 1_000);
    const watcher = { onLines };
    this.#watchers.add(watcher);
    this.#update();
    return () => {
      this.#watchers.delete(watcher);
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
    if (this.#reading?.extent === 'full' && this.#reading.hasBegun) follower.add([]);
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
      this.#reading.stop.abort(new Error('the log is read in another way'));
    this.#changed.wake();
    if (wanted !== undefined) this.#loop ??= begunAhead(this.#readAll().finally(() => this.#loopEnded()));
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
      const reading: Reading = { extent, stop, hasBegun: false };
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
    const agoS = Math.ceil((clock.monotonicMs() - this.#readUntilMs) / 1_000) + MARGIN_S;
    const filter = extent === 'full' ? '' : ` -b main,system,crash ${tagArguments(this.#tags)}`;
    // The phone computes the time at which to begin, so that it does not matter whether its clock is right.
    const command = `${PHONE_CLOCK_COMMAND}; logcat -v threadtime -T "$(($(date +%s)-${agoS})).000"${filter}`;
    const reader = new LogReader(EVERY_LINE, clock);
    this.#seen.expectAgain();
    const silence = extent === 'full' ? undefined : this.#endSilence(stop);
    try {
      await link.stream(
        `exec:${command}`,
        // No deadline: a log may be silent for hours.
        { timeoutMs: Infinity, doing: 'follow its log', signal: stop.signal },
        (chunk) => {
          silence?.restart();
          const lines = reader.push(chunk).map(({ line }) => line);
          this.#readUntilMs = clock.monotonicMs();
          reading.hasBegun = reader.hasBegun;
          this.#deliver(lines, reading);
        },
      );
    } finally {
      silence?.cancel();
      // Whoever stops the reading has read it until now. After a failure, it is not known what was lost on the way.
      if (stop.endedBy !== undefined) this.#readUntilMs = clock.monotonicMs();
    }
  }

  /** Stops a reading on which nothing comes; it is begun again at once. */
  #endSilence(stop: Cancellation): { restart: () => void; cancel: () => void } {
    const start = () =>
      this.#phone.clock.after(MAX_SILENT_MS, () => stop.abort(new Error('nothing has come for a long time')));
    let timer = start();
    return {
      restart: () => {
        timer.cancel();
        timer = start();
      },
      cancel: () => timer.cancel(),
    };
  }

  #deliver(lines: readonly LogLine[], { extent, hasBegun }: Reading): void {
    const watched = this.#seen.takeNew(lines.filter((line) => hasTag(this.#tags, line)));
    if (watched.length > 0) for (const { onLines } of this.#watchers) onLines(watched);
    if (extent === 'full' && hasBegun) for (const follower of this.#followers) follower.add(lines);
  }

  #failFollowers(error: unknown): void {
    for (const follower of this.#followers) follower.fail(error);
    this.#followers.clear();
  }
}
