import type { LogLine } from './log-line.js';

/** Most lines that are remembered. A log that is read again begins a few seconds before the place where it was left. */
const MAX_REMEMBERED = 500;

/** Characters of a message that tell it from others, together with its time, its writer and its length. */
const SHOWN_CHARS = 64;

/** The latest lines of a log, so that those that come again when it is read again are taken only once. */
export class SeenLines {
  #keys: string[] = [];
  #expected = new Map<string, number>();

  /** Is called before the log is read again. */
  expectAgain(): void {
    this.#expected = new Map();
    for (const key of this.#keys) this.#expected.set(key, (this.#expected.get(key) ?? 0) + 1);
  }

  /** Returns the lines that were not seen before, and remembers them. */
  takeNew(lines: readonly LogLine[]): LogLine[] {
    const fresh = lines.filter((line) => {
      const key = keyOf(line);
      const count = this.#expected.get(key) ?? 0;
      if (count === 0) this.#keys.push(key);
      else this.#expected.set(key, count - 1);
      return count === 0;
    });
    // Each cut moves the whole list, so it is cut only when it is twice as long as it may be.
    if (this.#keys.length > MAX_REMEMBERED * 2) this.#keys = this.#keys.slice(-MAX_REMEMBERED);
    return fresh;
  }
}

function keyOf({ timeMs, pid, tid, tag, message }: LogLine): string {
  return `${timeMs} ${pid} ${tid} ${tag} ${message.length} ${message.slice(0, SHOWN_CHARS)}`;
}
