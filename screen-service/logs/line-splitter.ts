import { StringDecoder } from 'node:string_decoder';

/** Longest log line; longer ones are cut, so that a line without end costs no memory. Characters. */
const MAX_LINE = 65_536;

/** Cuts bytes that arrive in any pieces into lines. Bytes that are not UTF-8 become U+FFFD. */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';
  #cut = false;

  /** The lines completed by `chunk`, without their ends. */
  push(chunk: Buffer): string[] {
    const lines = (this.#rest + this.#decoder.write(chunk)).split('\n');
    this.#rest = lines.pop() ?? '';
    const whole = lines.map((line, at) => (at === 0 && this.#cut ? '' : line.replace(/\r$/, '').slice(0, MAX_LINE)));
    if (whole.length > 0) this.#cut = false;
    if (this.#rest.length > MAX_LINE) {
      // Its beginning is handed on as a line; the rest until the next end is dropped.
      if (!this.#cut) whole.push(this.#rest.slice(0, MAX_LINE));
      this.#cut = true;
      this.#rest = '';
    }
    return whole;
  }
}
