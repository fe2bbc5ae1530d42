import type { Clock } from '../../kit/async/clock.js';
import type { LogBuffer, LogLine, LogPriority, Logcat } from '../system/system.js';

export interface StoredLine extends LogLine {
  buffer: LogBuffer;
  /** A number that counts up from 1 over the phone's whole run, also after `logcat -c`. */
  sequence: number;
}

const MAX_LINES = 4_000;
const MAX_BYTES = 1024 * 1024;
/** A longer message is cut, as liblog does. */
const MAX_MESSAGE_CHARS = 4_000;

/**
 * The phone's log: its newest lines. Past 5,000 lines or 1.25 MiB of text, it is cut to 4,000 lines and 1 MiB. Readers are notified of each
 * new line.
 */
export class LogRing implements Logcat {
  readonly #clock: Clock;
  #lines: StoredLine[] = [];
  #bytes = 0;
  #sequence = 0;
  readonly #listeners = new Set<(line: StoredLine) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  write(priority: LogPriority, tag: string, message: string, pid = SYSTEM_SERVER_PID): void {
    this.writeTo('main', priority, tag, message, pid);
  }

  writeTo(buffer: LogBuffer, priority: LogPriority, tag: string, message: string, pid = SYSTEM_SERVER_PID): void {
    const line: StoredLine = {
      timeMs: this.#clock.now(),
      pid,
      tid: pid,
      priority,
      tag,
      message: message.slice(0, MAX_MESSAGE_CHARS),
      buffer,
      sequence: ++this.#sequence,
    };
    this.#lines.push(line);
    this.#bytes += weight(line);
    // The oldest lines are dropped many at a time, as each drop copies all lines that stay.
    if (this.#lines.length > MAX_LINES * 1.25 || this.#bytes > MAX_BYTES * 1.25) this.#trim();
    for (const listener of this.#listeners) listener(line);
  }

  lines(): readonly StoredLine[] {
    return this.#lines;
  }

  clear(buffers: ReadonlySet<LogBuffer>): void {
    this.#lines = this.#lines.filter((line) => !buffers.has(line.buffer));
    this.#bytes = this.#lines.reduce((sum, line) => sum + weight(line), 0);
  }

  /** Calls `listener` with each new line. Returns the function that unsubscribes. */
  onLine(listener: (line: StoredLine) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #trim(): void {
    let drop = Math.max(0, this.#lines.length - MAX_LINES);
    let bytes = this.#bytes;
    for (let at = 0; at < drop; at++) bytes -= weight(this.#lines[at]);
    while (bytes > MAX_BYTES && drop < this.#lines.length) bytes -= weight(this.#lines[drop++]);
    this.#lines = this.#lines.slice(drop);
    this.#bytes = bytes;
  }
}

const SYSTEM_SERVER_PID = 612;

function weight(line: StoredLine | undefined): number {
  return line ? line.tag.length + line.message.length : 0;
}
