import { StringDecoder } from 'node:string_decoder';

/** Most characters of a log line. Longer lines are cut, so that a line without end cannot fill the memory. */
const MAX_LINE = 65_536;

/** Cuts bytes that arrive in any pieces into lines. Bytes that are not UTF-8 become U+FFFD. */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';
  #cut = false;

  /** Returns the lines completed by `chunk`, without their ends. */
  push(chunk: Buffer): string[] {
    const lines = (this.#rest + this.#decoder.write(chunk)).split('\n');
    this.#rest = lines.pop() ?? '';
    const whole = lines.map((line, at) => (at === 0 && this.#cut ? '' : line.replace(/\r$/, '').slice(0, MAX_LINE)));
    if (whole.length > 0) this.#cut = false;
    if (this.#rest.length > MAX_LINE) {
      // The beginning of a line that is too long is returned as a line. Its rest is dropped, and an empty line takes its place.
      if (!this.#cut) whole.push(this.#rest.slice(0, MAX_LINE));
      this.#cut = true;
      this.#rest = '';
    }
    return whole;
  }
}
