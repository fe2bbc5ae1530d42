import type { Reservation } from '../memory/memory-budget.js';
import type { ByteSource } from '../streams/pipe.js';

/** Yields the lines of a source as text, without their ends. A line of more than 1 MiB comes in pieces. */
export async function* lines(source: ByteSource): AsyncGenerator<string, void, undefined> {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  for (let bytes = await source.read(); bytes; bytes = await source.read()) {
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      const tail = bytes.subarray(from, end);
      yield (waiting.length === 0 ? tail : Buffer.concat([...waiting, tail])).toString('utf8');
      waiting = [];
      waitingBytes = 0;
      from = end + 1;
    }
    if (from === bytes.length) continue;
    waiting.push(bytes.subarray(from));
    waitingBytes += bytes.length - from;
    if (waitingBytes <= MAX_LINE_BYTES) continue;
    yield Buffer.concat(waiting).toString('utf8');
    waiting = [];
    waitingBytes = 0;
  }
  if (waiting.length > 0) yield Buffer.concat(waiting).toString('utf8');
}

const MAX_LINE_BYTES = 1024 * 1024;

/** Keeps lines that a command needs later. Throws RangeError when their text is longer than the limit, or the memory does not suffice. */
export class HeldLines {
  readonly #lines: string[] = [];
  #first = 0;
  #chars = 0;
  readonly #memory: Reservation;

  constructor(memory: Reservation) {
    this.#memory = memory;
  }

  get length(): number {
    return this.#lines.length - this.#first;
  }

  push(line: string): void {
    this.#chars += line.length + 1;
    if (this.#chars > MAX_TEXT_CHARS) throw new RangeError('too much text');
    this.#memory.grow(cost(line));
    this.#lines.push(line);
  }

  /** Removes and returns the oldest line. */
  shift(): string | undefined {
    const line = this.#lines[this.#first];
    if (line === undefined) return undefined;
    this.#lines[this.#first++] = '';
    this.#chars -= line.length + 1;
    this.#memory.shrink(cost(line));
    // The list is cut rarely, as removing the first of a long list moves all others.
    if (this.#first > 1_000 && this.#first * 2 > this.#lines.length) {
      this.#lines.splice(0, this.#first);
      this.#first = 0;
    }
    return line;
  }
}

/**
 * Returns all lines, for commands such as `sort`. Throws RangeError when their text is longer than the limit, or the memory does not
 * suffice.
 */
export async function allLines(source: ByteSource, memory: Reservation): Promise<string[]> {
  const result: string[] = [];
  let chars = 0;
  for await (const line of lines(source)) {
    chars += line.length + 1;
    if (chars > MAX_TEXT_CHARS) throw new RangeError('too much text');
    memory.grow(cost(line));
    result.push(line);
  }
  return result;
}

const MAX_TEXT_CHARS = 16 * 1024 * 1024;

/** Returns the memory of a line: two bytes for each character, and the string around them. */
function cost(line: string): number {
  return 2 * line.length + 32;
}
