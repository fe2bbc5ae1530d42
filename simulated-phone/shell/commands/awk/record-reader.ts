import { StringDecoder } from 'node:string_decoder';
import type { Reservation } from '../../../memory/memory-budget.js';
import type { ByteSource } from '../../../streams/pipe.js';
import type { Patterns } from './patterns.js';

/** The longest record, characters. */
const MAX_RECORD_CHARS = 1024 * 1024;

/** The places at which a record ends and the next one begins. */
interface Cut {
  end: number;
  next: number;
}

/** Cuts a source into records, each by the separator that is set when it is read. */
export class RecordReader {
  readonly #source: ByteSource;
  readonly #memory: Reservation;
  readonly #patterns: Patterns;
  readonly #decoder = new StringDecoder('utf8');
  #text = '';
  #at = 0;
  #hasEnded = false;

  constructor(source: ByteSource, memory: Reservation, patterns: Patterns) {
    this.#source = source;
    this.#memory = memory;
    this.#patterns = patterns;
  }

  /** Returns the next record if it was read. Undefined: `more` has to be called. Null: there is no further record. */
  take(separator: string): string | undefined | null {
    if (separator === '') while (this.#text[this.#at] === '\n') this.#at++;
    const cut = this.#cut(separator);
    if (!cut && !this.#hasEnded) return undefined;
    if (!cut && this.#at === this.#text.length) return null;
    const { end, next } = cut ?? { end: this.#text.length, next: this.#text.length };
    const record = this.#text.slice(this.#at, end);
    this.#at = next;
    return separator === '' ? record.replace(/\n$/, '') : record;
  }

  /** Reads more bytes. Throws RangeError for a record that is too long. */
  async more(): Promise<void> {
    const bytes = await this.#source.read();
    const left = this.#text.slice(this.#at);
    const added = bytes ? this.#decoder.write(bytes) : this.#decoder.end();
    if (left.length > MAX_RECORD_CHARS) throw new RangeError('a record too long');
    this.#hold(left.length + added.length);
    this.#text = left + added;
    this.#at = 0;
    this.#hasEnded = bytes === undefined;
  }

  /** Gives back the memory of what was read ahead. */
  release(): void {
    this.#hold(0);
    this.#text = '';
  }

  #cut(separator: string): Cut | undefined {
    if (separator.length > 1) return this.#cutAtMatch(separator);
    const mark = separator === '' ? '\n\n' : separator;
    const end = this.#text.indexOf(mark, this.#at);
    if (end < 0) return undefined;
    let next = end + mark.length;
    if (separator === '') while (this.#text[next] === '\n') next++;
    return { end, next };
  }

  /** Finds a match of the separator. A match at the end of the read text does not count yet, as more text may make it longer. */
  #cutAtMatch(separator: string): Cut | undefined {
    for (const { start, end } of this.#patterns.of(separator).each(this.#text.slice(this.#at))) {
      if (end === start) continue;
      if (this.#at + end === this.#text.length && !this.#hasEnded) return undefined;
      return { end: this.#at + start, next: this.#at + end };
    }
    return undefined;
  }

  #hold(chars: number): void {
    const bytes = 2 * (chars - this.#text.length);
    if (bytes > 0) this.#memory.grow(bytes);
    else this.#memory.shrink(-bytes);
  }
}
