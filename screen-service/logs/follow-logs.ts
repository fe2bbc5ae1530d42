import type { Call } from '../../kit/call/call.js';
import type { ReachedPhone } from '../link/reached-phone.js';
import type { TakenLines } from './line-queue.js';
import type { LogFilter, LogLine } from './log-line.js';
import { readLogs } from './read-logs.js';
import { streamLogs } from './stream-logs.js';

/** The time without a line after which an item without lines is yielded, ms: proxies end a connection on which nothing comes. */
const SILENCE_MS = 15_000;

/** The filter of a log that is followed, without a time. */
export type FollowFilter = Pick<LogFilter, 'level' | 'tag'>;

/**
 * Yields the newest `sinceLines` lines that pass the filter, and then lines as they are written, each once, until the caller hangs up. The
 * first item comes as soon as the phone can be read. A caller that is too slow loses lines, as no phone waits for it.
 */
export async function* followLogs(
  call: Call,
  phoneSession: ReachedPhone,
  filter: FollowFilter,
  sinceLines: number,
): AsyncGenerator<TakenLines, void, undefined> {
  const all = { ...filter, sinceMs: undefined };
  const following = { whenFull: 'drop', silenceMs: SILENCE_MS } as const;
  const { lines } = sinceLines === 0 ? { lines: [] } : await readLogs(call, phoneSession, all, sinceLines);
  yield { lost: 0, lines };
  if (sinceLines === 0) {
    yield* streamLogs(call, phoneSession, all, following);
    return;
  }
  // The log is read from the last line on. Without a line that passes the filter, every line there is was written after the reading.
  const sinceMs = lines.at(-1)?.timeMs ?? 0;
  const repeated = new RepeatedLines(lines.filter(({ timeMs }) => timeMs === sinceMs));
  for await (const taken of streamLogs(call, phoneSession, { ...filter, sinceMs }, following)) {
    yield { ...taken, lines: taken.lines.filter((line) => !repeated.take(line)) };
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
