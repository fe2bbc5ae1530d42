import { MAX_TRACE_BYTES } from './found-crash.js';

/** The lines of one trace. What does not fit any more is left out, so that a trace without end takes no more memory. */
export class TraceText {
  #text = '';
  #bytes = 0;
  #isFull = false;

  add(line: string): void {
    if (this.#isFull) return;
    const text = this.#text === '' ? line : `\n${line}`;
    const bytes = Buffer.byteLength(text);
    if (this.#bytes + bytes <= MAX_TRACE_BYTES) {
      this.#text += text;
      this.#bytes += bytes;
      return;
    }
    this.#isFull = true;
    // A cut within a character leaves U+FFFD, of which one may have to go to stay within the bound.
    const rest = Buffer.from(text).subarray(0, MAX_TRACE_BYTES - this.#bytes);
    this.#text += rest.toString('utf8').replace(/\ufffd$/, '');
  }

  get text(): string {
    return this.#text;
  }
}
