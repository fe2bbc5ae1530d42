import { phoneUnavailable } from './phone-errors.js';

export interface OutputBound {
  /** More output than this is refused, bytes. */
  maxBytes: number;
  /** Completes "when it was to …" in the error text, for example "take a screenshot". */
  doing: string;
}

/** The output of a command so far, up to a bound. */
export class CollectedOutput {
  readonly #chunks: Buffer[] = [];
  readonly #bound: OutputBound;
  #bytes = 0;

  constructor(bound: OutputBound) {
    this.#bound = bound;
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#bound.maxBytes) {
      const { doing, maxBytes } = this.#bound;
      throw phoneUnavailable(`The phone sent more than ${maxBytes} bytes when it was to ${doing}.`);
    }
    this.#chunks.push(chunk);
  }

  whole(): Buffer {
    return this.#chunks.length === 1 ? (this.#chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#chunks);
  }
}
