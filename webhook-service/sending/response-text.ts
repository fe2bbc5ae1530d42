import type { IncomingHttpHeaders } from 'node:http';
import { RESPONSE_KEPT_BYTES } from '../limits.js';

/** Types of responses that people can read. A response without a type is taken for text. */
const TEXT = /^(text\/|application\/([\w.-]+\+)?(json|xml)\b)/i;

/** Characters that do not print, aside from tabs and ends of lines. */
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** The beginning of a receiver's response as plain text, of a bounded size whatever the receiver sends. */
export class ResponseText {
  readonly #isText: boolean;
  readonly #kept: Buffer[] = [];
  #bytes = 0;

  constructor(headers: IncomingHttpHeaders) {
    const { 'content-type': type, 'content-encoding': encoding = 'identity' } = headers;
    this.#isText = (type === undefined || TEXT.test(type)) && encoding === 'identity';
  }

  add(part: Buffer): void {
    if (!this.#isText || this.#bytes >= RESPONSE_KEPT_BYTES) return;
    const kept = part.subarray(0, RESPONSE_KEPT_BYTES - this.#bytes);
    // A copy, as the part may be a view of a much larger buffer.
    this.#kept.push(Buffer.from(kept));
    this.#bytes += kept.length;
  }

  /** Returns the text; it is empty when there is no body. */
  text(): string {
    // The bytes are decoded as a part of a stream, so that a character that was cut is left out.
    const text = new TextDecoder().decode(Buffer.concat(this.#kept), { stream: true }).replace(CONTROLS, '\ufffd');
    // Each byte that is not UTF-8 has become U+FFFD, which has three bytes, so the text is cut again.
    const bytes = Buffer.from(text);
    return new TextDecoder().decode(bytes.subarray(0, RESPONSE_KEPT_BYTES), { stream: true });
  }
}
