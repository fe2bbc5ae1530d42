import type { components } from './openapi.js';
import { dataOf, followStream, type Streaming } from './streams.js';

/** One line of a phone's log. */
export type LogLine = components['schemas']['LogLine'];

/** A line, or the number of lines that this reader was too slow for. */
export type LogEvent = { line: LogLine } | { lost: number };

export interface FollowOptions {
  /** Only lines of this level and more serious ones. Absent: all. */
  level?: LogLine['level'];
  /** Only lines with this tag. Absent: all. */
  tag?: string;
  /** How many of the newest lines come first, at most 5,000. Absent: 0. */
  sinceLines?: number;
  signal?: AbortSignal;
}

/** The most lines that a stream can begin with. */
const MAX_SINCE_LINES = 5_000;

/**
 * Yields the lines of a phone's log, without end. Throws as followStream does.
 *
 * The stream has no places to go on from. So a stream that is opened again begins with the newest lines. Lines that came before are left
 * out: older ones, and those of the last moment that are the same.
 */
export async function* followLogs(
  streaming: Streaming,
  device: string,
  { level, tag, sinceLines = 0, signal }: FollowOptions,
): AsyncGenerator<LogEvent, void> {
  const seen = new SeenLines();
  const next = (): { path: string } => {
    const query = new URLSearchParams({
      ...(level !== undefined && { level }),
      ...(tag !== undefined && { tag }),
      since_lines: String(seen.isEmpty ? sinceLines : MAX_SINCE_LINES),
    });
    seen.reopen();
    return { path: `/v1/devices/${encodeURIComponent(device)}/logs/stream?${query.toString()}` };
  };
  for await (const { event, data } of followStream(streaming, next, signal)) {
    if (data === undefined) continue;
    if (event === 'log') {
      const line = dataOf(data) as LogLine;
      if (seen.isNew(line, data)) yield { line };
    } else if (event === 'lost') yield { lost: (dataOf(data) as { lines: number }).lines };
  }
}

/** The lines of the last moment, by which the overlap of two streams is recognized. */
class SeenLines {
  #time = '';
  /** Each line of that moment as JSON, with how often it came. */
  #lines = new Map<string, number>();
  /** The lines of that moment that the present stream has yet to repeat. Undefined: the stream is past the overlap. */
  #expected: Map<string, number> | undefined;
  /** Lines of the present stream that may still be of the overlap. It is bounded, as the clock of a phone may be put back meanwhile. */
  #overlapLeft = 0;

  get isEmpty(): boolean {
    return this.#time === '';
  }

  /** Called before a stream begins. */
  reopen(): void {
    if (this.isEmpty) return;
    this.#expected = new Map(this.#lines);
    this.#overlapLeft = MAX_SINCE_LINES;
  }

  /** Whether a line has not come before. `data` is the line as JSON. */
  isNew({ time }: LogLine, data: string): boolean {
    if (this.#expected !== undefined && this.#overlapLeft-- > 0) {
      if (time < this.#time) return false;
      const left = time === this.#time ? (this.#expected.get(data) ?? 0) : 0;
      if (left > 0) {
        this.#expected.set(data, left - 1);
        return false;
      }
      if (time > this.#time) this.#expected = undefined;
    }
    if (time !== this.#time) {
      // The clock of a phone may have been put back: then its time is the new last moment too.
      this.#time = time;
      this.#lines = new Map();
    }
    this.#lines.set(data, (this.#lines.get(data) ?? 0) + 1);
    return true;
  }
}
