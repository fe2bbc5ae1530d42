import { unlessAborted } from '../../kit/async/within.js';
import type { Call } from '../../kit/call/call.js';
import type { ReachedPhone } from '../link/reached-phone.js';
import type { TakenLines } from './line-queue.js';
import type { LogFilter, LogLine } from './log-line.js';
import { readLogs } from './read-logs.js';
import type { SharedLog } from './shared-log.js';

/** The time without a line after which an item without lines is yielded, ms: proxies end a connection on which nothing comes. */
const SILENCE_MS = 15_000;

/** How many of the newest lines are read where only new ones are wanted: it must be known which ones are old. */
const OLD_LINES = 100;

/** The filter of a log that is followed, without a time. */
export type FollowFilter = Pick<LogFilter, 'level' | 'tag'>;

/** A phone with its log. */
export interface LoggingPhone extends ReachedPhone {
  readonly sharedLog: SharedLog;
}

/**
 * Yields the newest `sinceLines` lines that pass the filter, and then lines as they are written, each once, until the caller hangs up. The
 * first item comes as soon as the phone can be read. A caller that is too slow loses lines, as no phone waits for it.
 */
export async function* followLogs(
  call: Call,
  phoneSession: LoggingPhone,
  filter: FollowFilter,
  sinceLines: number,
): AsyncGenerator<TakenLines, void, undefined> {
  const { signal } = call;
  const follower = phoneSession.sharedLog.follow(filter);
  const { queue } = follower;
  try {
    await unlessAborted(signal, follower.ready);
    // From here on every line comes, so that no line is lost between the reading and the first one that comes.
    const wanted = sinceLines === 0 ? { level: undefined, tag: undefined } : filter;
    const { lines } = await readLogs(call, phoneSession, { ...wanted, sinceMs: undefined }, sinceLines || OLD_LINES);
    yield { lost: 0, lines: sinceLines === 0 ? [] : lines };
    // Without a line that passes the filter, every line there is was written after the reading.
    const sinceMs = lines.at(-1)?.timeMs ?? 0;
    const repeated = new RepeatedLines(lines.filter(({ timeMs }) => timeMs === sinceMs));
    const take = () => unlessAborted(signal, queue.take({ clock: phoneSession.clock, ms: SILENCE_MS }));
    for (let taken = await take(); taken !== undefined; taken = await take()) {
      const fresh = taken.lines.filter((line) => line.timeMs >= sinceMs && !repeated.take(line));
      // Lines that were in the reading are no news. Without any line, the item shows that the stream is still open.
      if (fresh.length > 0 || taken.lost > 0 || taken.lines.length === 0) yield { ...taken, lines: fresh };
    }
    queue.throwIfFailed();
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    follower.leave();
  }
}

/** Lines of the last millisecond of a reading. They come again when the log is followed from that millisecond on. */
class RepeatedLines {
  readonly #counts = new Map<string, number>();

  constructor(lines: readonly LogLine[]) {
    for (const line of lines) this.#counts.set(textOf(line), (this.#counts.get(textOf(line)) ?? 0) + 1);
  }

  /** Returns whether the line is one of them, and forgets it then. */
  take(line: LogLine): boolean {
    if (this.#counts.size === 0) return false;
    const text = textOf(line);
    const count = this.#counts.get(text) ?? 0;
    if (count > 1) this.#counts.set(text, count - 1);
    else this.#counts.delete(text);
    return count > 0;
  }
}

function textOf({ timeMs, pid, tid, level, tag, message }: LogLine): string {
  return `${timeMs} ${pid} ${tid} ${level} ${tag}: ${message}`;
}
