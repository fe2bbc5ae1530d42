import { begunAhead } from '../../kit/async/begun-ahead.js';
import { LineQueue } from './line-queue.js';
import { type LogFilter, type LogLine, passes } from './log-line.js';

/** One who follows all lines of a shared log, and loses lines where it is too slow. */
export class LogFollower {
  /** The lines that wait for it. */
  readonly queue = new LineQueue('drop');
  /** Resolves when every line that is written from then on comes; rejects when the log cannot be read. */
  readonly ready: Promise<void>;
  readonly #filter: LogFilter;
  readonly #onLeave: () => void;
  #becomeReady: () => void = () => undefined;
  #failReady: (error: unknown) => void = () => undefined;

  constructor(filter: LogFilter, onLeave: () => void) {
    this.#filter = filter;
    this.#onLeave = onLeave;
    this.ready = begunAhead(
      new Promise<void>((resolve, reject) => {
        this.#becomeReady = resolve;
        this.#failReady = reject;
      }),
    );
  }

  /** Is called with lines as they come, and with none when the log can be read. */
  add(lines: readonly LogLine[]): void {
    this.#becomeReady();
    const wanted = lines.filter((line) => passes(this.#filter, line));
    if (wanted.length > 0) void this.queue.add(wanted);
  }

  fail(error: unknown): void {
    this.#failReady(error);
    this.queue.end(error);
  }

  leave(): void {
    this.queue.end(undefined);
    this.#onLeave();
  }
}
