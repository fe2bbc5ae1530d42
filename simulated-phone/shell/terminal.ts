import { StringDecoder } from 'node:string_decoder';
import { Pipe, type ByteSink, type ByteSource } from './pipe.js';

/**
 * A terminal as the kernel and the shell's line editor make it together: typed text is echoed and can be corrected, whole
 * lines go to the reader, line feeds go out as CR LF, and Ctrl-C interrupts the running command.
 */
export class Terminal implements ByteSource, ByteSink {
  readonly #out: ByteSink;
  readonly #lines = new Pipe();
  readonly #decoder = new StringDecoder('utf8');
  readonly #history: string[] = [];
  #historyAt = 0;
  #line: string[] = [];
  #cursor = 0;
  #escape = '';
  #lastWasReturn = false;
  #size = { rows: 24, columns: 80 };
  /** Called on Ctrl-C. */
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

  /** Whole lines as they are entered. Undefined after Ctrl-D on an empty line or when the client ended its input. */
  read(): Promise<Buffer | undefined> {
    return this.#lines.read();
  }

  unread(bytes: Buffer): void {
    this.#lines.unread(bytes);
  }

  async write(bytes: string | Uint8Array): Promise<void> {
    const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('latin1');
    await this.#out.write(Buffer.from(text.replace(/\n/g, '\r\n'), typeof bytes === 'string' ? 'utf8' : 'latin1'));
  }

  end(): void {
    this.#lines.end();
  }

  /** Takes input from the keyboard. */
  async type(bytes: Uint8Array): Promise<void> {
    let echo = '';
    for (const char of this.#decoder.write(Buffer.from(bytes))) echo += this.#key(char);
    if (echo !== '') await this.#out.write(echo);
  }

  /** Returns the text that is shown for it. */
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
        this.onInterrupt();
        return '^C\r\n';
      case '\x04':
        if (this.#line.length === 0) this.end();
        return '';
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
    // Not awaited: a command that does not read must not stop Ctrl-C from coming through.
    this.#lines.write(`${line}\n`).catch(() => undefined);
    return '\r\n';
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
