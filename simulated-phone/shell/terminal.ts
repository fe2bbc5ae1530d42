import { StringDecoder } from 'node:string_decoder';
import type { ByteSink, ByteSource } from '../streams/pipe.js';

/**
 * A terminal that does what the kernel and the shell's line editor do together. Typed text is echoed and can be corrected, and whole lines
 * go to the reader. Line feeds go out as CR LF, and Ctrl-C interrupts the running command.
 */
export class Terminal implements ByteSource, ByteSink {
  readonly #out: ByteSink;
  /** The lines that wait, and `end` for each Ctrl-D on an empty line. `end` ends the input of the program that reads it. */
  #waiting: (Buffer | 'end')[] = [];
  #waitingBytes = 0;
  #hasLeft = false;
  #wakeReader: (() => void) | undefined;
  readonly #decoder = new StringDecoder('utf8');
  readonly #history: string[] = [];
  #historyAt = 0;
  #line: string[] = [];
  #cursor = 0;
  #escape = '';
  #lastWasReturn = false;
  #size = { rows: 24, columns: 80 };
  /** The terminal calls this on Ctrl-C. */
  onInterrupt: () => void = () => undefined;

  constructor(out: ByteSink) {
    this.#out = out;
  }

  get size(): { rows: number; columns: number } {
    return this.#size;
  }

  resize(size: { rows: number; columns: number } | undefined): void {
    if (size) this.#size = size;
  }

  /**
   * Returns whole lines as they are entered. It returns undefined once for each Ctrl-D on an empty line. When the client has ended its
   * input and no line is left, it returns undefined for ever.
   */
  async read(): Promise<Buffer | undefined> {
    while (this.#waiting.length === 0 && !this.#hasLeft)
      await new Promise<void>((resolve) => (this.#wakeReader = resolve));
    const next = this.#waiting.shift();
    if (next === undefined || next === 'end') return undefined;
    this.#waitingBytes -= next.length;
    return next;
  }

  unread(bytes: Buffer): void {
    this.#waiting.unshift(bytes);
    this.#waitingBytes += bytes.length;
  }

  async write(bytes: string | Uint8Array): Promise<void> {
    const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('latin1');
    await this.#out.write(Buffer.from(text.replace(/\n/g, '\r\n'), typeof bytes === 'string' ? 'utf8' : 'latin1'));
  }

  /** Is called when the client has ended its input. */
  end(): void {
    this.#hasLeft = true;
    this.#wakeReader?.();
  }

  /** Passes input on to the reader. Returns false, and takes nothing, when too much waits. */
  #hand(input: Buffer | 'end'): boolean {
    const bytes = input === 'end' ? 1 : input.length;
    if (this.#waitingBytes + bytes > MAX_WAITING_BYTES || this.#waiting.length >= MAX_WAITING_LINES) return false;
    this.#waiting.push(input);
    if (input !== 'end') this.#waitingBytes += bytes;
    this.#wakeReader?.();
    return true;
  }

  /** Takes input from the keyboard. */
  async type(bytes: Uint8Array): Promise<void> {
    let echo = '';
    for (const char of this.#decoder.write(Buffer.from(bytes))) echo += this.#key(char);
    if (echo !== '') await this.#out.write(echo);
  }

  /** Handles a character. Returns the text that is shown for it. */
  #key(char: string): string {
    if (this.#escape !== '') return this.#escapeKey(char);
    // CR LF is one Enter.
    const afterReturn = this.#lastWasReturn;
    this.#lastWasReturn = char === '\r';
    if (char === '\n' && afterReturn) return '';
    switch (char) {
      case '\r':
      case '\n':
        return this.#enter();
      case '\x03':
        this.#line = [];
        this.#cursor = 0;
        this.#waiting = [];
        this.#waitingBytes = 0;
        this.onInterrupt();
        return '^C\r\n';
      case '\x04':
        return this.#endOfInput();
      case '\x7f':
      case '\b':
        return this.#cursor > 0 ? this.#move(-1) + this.#deleteAt(1) : '';
      case '\x01':
        return this.#move(-this.#cursor);
      case '\x05':
        return this.#move(this.#line.length - this.#cursor);
      case '\x15':
        return this.#replace('');
      case '\x17':
        return this.#replace(this.#line.join('').replace(/\S+\s*$/, ''));
      case '\x1b':
        this.#escape = char;
        return '';
      default:
        return char >= ' ' || char === '\t' ? this.#insert(char) : '';
    }
  }

  #escapeKey(char: string): string {
    this.#escape += char;
    if (this.#escape === '\x1b[' || this.#escape === '\x1bO' || /^\[\d+$/.test(this.#escape.slice(1))) return '';
    const sequence = this.#escape.slice(2);
    this.#escape = '';
    switch (sequence) {
      case 'A':
        return this.#recall(-1);
      case 'B':
        return this.#recall(1);
      case 'C':
        return this.#cursor < this.#line.length ? this.#move(1) : '';
      case 'D':
        return this.#cursor > 0 ? this.#move(-1) : '';
      case 'H':
        return this.#move(-this.#cursor);
      case 'F':
        return this.#move(this.#line.length - this.#cursor);
      case '3~':
        return this.#cursor < this.#line.length ? this.#deleteAt(1) : '';
      default:
        return '';
    }
  }

  #enter(): string {
    const line = this.#line.join('');
    this.#line = [];
    this.#cursor = 0;
    if (line.trim() !== '') this.#history.push(line);
    if (this.#history.length > MAX_HISTORY) this.#history.shift();
    this.#historyAt = this.#history.length;
    return this.#hand(Buffer.from(`${line}\n`)) ? '\r\n' : '\x07\r\n';
  }

  /** Handles Ctrl-D: the reader gets the line as it is or, when the line is empty, the end of its input. */
  #endOfInput(): string {
    const line = this.#line.join('');
    this.#line = [];
    this.#cursor = 0;
    return this.#hand(line === '' ? 'end' : Buffer.from(line)) ? '' : '\x07';
  }

  #insert(char: string): string {
    if (this.#line.length >= MAX_LINE_CHARS) return '\x07';
    this.#line.splice(this.#cursor, 0, char);
    this.#cursor++;
    const tail = this.#line.slice(this.#cursor);
    return char + tail.join('') + '\b'.repeat(tail.length);
  }

  #deleteAt(count: number): string {
    this.#line.splice(this.#cursor, count);
    const tail = this.#line.slice(this.#cursor);
    return `${tail.join('')} ${'\b'.repeat(tail.length + 1)}`;
  }

  #move(by: number): string {
    const from = this.#cursor;
    this.#cursor += by;
    return by < 0 ? '\b'.repeat(-by) : this.#line.slice(from, from + by).join('');
  }

  #replace(text: string): string {
    const before = this.#move(-this.#cursor);
    const old = this.#line.length;
    this.#line = Array.from(text);
    this.#cursor = this.#line.length;
    return `${before}${' '.repeat(old)}${'\b'.repeat(old)}${text}`;
  }

  #recall(step: number): string {
    const at = this.#historyAt + step;
    if (at < 0 || at > this.#history.length) return '';
    this.#historyAt = at;
    return this.#replace(this.#history[at] ?? '');
  }
}

const MAX_HISTORY = 100;
const MAX_LINE_CHARS = 4_096;
/** Most bytes that are typed ahead of a command that does not read; more is lost, with a bell. */
const MAX_WAITING_BYTES = 64 * 1024;
const MAX_WAITING_LINES = 1_000;
