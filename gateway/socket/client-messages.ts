import type { RawData, WebSocket } from 'ws';
import { WakeSignal } from '../../kit/async/wake-signal.js';

/** With this many waiting messages, nothing more is read from the client. */
const MAX_WAITING = 16;

/** Stands in place of a message: the client shows no sign of life. */
export const SILENCE = Symbol('silence');

/** A text message; undefined for a binary one. */
type ClientMessage = string | undefined | typeof SILENCE;

/** The messages of a client of a WebSocket, in order. */
export class ClientMessages {
  readonly #waiting: ClientMessage[] = [];
  readonly #ws: Pick<WebSocket, 'pause' | 'resume'>;
  readonly #news = new WakeSignal();
  #ended = false;

  constructor(ws: WebSocket) {
    this.#ws = ws;
    ws.on('message', (data: RawData, isBinary: boolean) => {
      this.#waiting.push(isBinary ? undefined : (data as Buffer).toString('utf8'));
      if (this.#waiting.length >= MAX_WAITING) ws.pause();
      this.#news.wake();
    });
    ws.once('close', () => {
      this.#ended = true;
      this.#news.wake();
    });
  }

  /** Puts SILENCE after the messages that have come. */
  noteSilence(): void {
    this.#waiting.push(SILENCE);
    this.#news.wake();
  }

  /** Yields each message once the one before it was taken. Ends after the last message before the close. */
  async *[Symbol.asyncIterator](): AsyncGenerator<ClientMessage, void, undefined> {
    for (;;) {
      while (this.#waiting.length > 0) {
        yield this.#waiting.shift();
        if (this.#waiting.length < MAX_WAITING) this.#ws.resume();
      }
      if (this.#ended) return;
      await this.#news.wait();
    }
  }
}
