import type { Call } from '../../kit/call.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import { type LogFilter, type LogLine, logLetters } from './log-line.js';
import { LogReader } from './read-logs.js';
import { PHONE_CLOCK_COMMAND } from './phone-time.js';

/** Most lines that wait for a slow reader; beyond that, reading from the phone pauses. */
const WAITING_MOST = 5_000;

/**
 * Lines as they are written, from `filter.sinceMs` on (absent: only new ones), until the caller hangs up. Each item holds the lines that
 * arrived together.
 */
export async function* streamLogs(
  { signal }: Call,
  kept: KeptPhone,
  filter: LogFilter,
): AsyncGenerator<LogLine[], void, undefined> {
  const reader = new LogReader(filter);
  const level = filter.level !== undefined && logLetters.includes(filter.level) ? ` '*:${filter.level}'` : '';
  // `-T 1` begins with the last line there is, which is not a new one.
  const onlyNew = filter.sinceMs === undefined;
  let skip = onlyNew ? 1 : 0;
  const command = `${PHONE_CLOCK_COMMAND}; logcat -v threadtime${onlyNew ? ' -T 1' : ''}${level}`;
  const lines = new LineQueue();
  const stop = new AbortController();
  // A link of its own: a slow reader stalls everything that shares one.
  const link = await kept.link.openApart();
  const running = link
    .stream(
      `exec:${command}`,
      // No deadline: a log may be silent for hours.
      { timeoutMs: Infinity, doing: 'follow its log', signal: AbortSignal.any([signal, stop.signal]) },
      (chunk) => {
        const read = reader.push(chunk).map(({ line }) => line);
        if (skip > 0 && read.length > 0) {
          read.shift();
          skip = 0;
        }
        return lines.add(read);
      },
    )
    .then(
      () => lines.end(undefined),
      (error: unknown) => lines.end(error),
    );
  try {
    for (let next = await lines.take(); next !== undefined; next = await lines.take()) yield next;
    if (!signal.aborted) lines.throwIfFailed();
  } finally {
    stop.abort(new Error('the reader of the log hung up'));
    lines.end(undefined);
    await running;
    link.close();
  }
}

/** Lines between the phone and a reader that may be slower. */
class LineQueue {
  #lines: LogLine[] = [];
  #ended = false;
  #failure: Error | undefined;
  #wake: () => void = () => undefined;
  #drained: () => void = () => undefined;

  /** Resolves when there is room for more. */
  async add(lines: readonly LogLine[]): Promise<void> {
    this.#lines.push(...lines);
    this.#wake();
    if (this.#lines.length > WAITING_MOST) await new Promise<void>((resolve) => (this.#drained = resolve));
  }

  end(error: unknown): void {
    if (!this.#ended && error !== undefined) this.#failure = toError(error);
    this.#ended = true;
    this.#wake();
    this.#drained();
  }

  /** All lines that wait, as soon as there is one; undefined at the end. */
  async take(): Promise<LogLine[] | undefined> {
    if (this.#lines.length === 0 && !this.#ended) await new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#lines.length === 0) return this.#ended ? undefined : this.take();
    const taken = this.#lines;
    this.#lines = [];
    this.#drained();
    return taken;
  }

  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('the log broke off', { cause: thrown });
}
