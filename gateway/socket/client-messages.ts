import type { RawData, WebSocket } from 'ws';

/** Messages that wait for their turn; with more the client is not read from. */
const WAITING_MOST = 16;

/** The messages of a client of a WebSocket, in order. */
export class ClientMessages {
  readonly #waiting: (string | undefined)[] = [];
  readonly #ws: Pick<WebSocket, 'pause' | 'resume'>;
  #wake: () => void = () => undefined;
  #ended = false;

  constructor(ws: WebSocket) {
    this.#ws = ws;
    ws.on('message', (data: RawData, isBinary: boolean) => {
      this.#waiting.push(isBinary ? undefined : (data as Buffer).toString('utf8'));
      if (this.#waiting.length >= WAITING_MOST) ws.pause();
      this.#wake();
    });
    ws.once('close', () => {
      this.#ended = true;
      this.#wake();
    });
  }

  /** Each text, once the one before it was taken; undefined for a binary message. Ends after the last one before the close. */
  async *[Symbol.asyncIterator](): AsyncGenerator<string | undefined, void, undefined> {
    for (;;) {
      while (this.#waiting.length > 0) {
        yield this.#waiting.shift();
        if (this.#waiting.length < WAITING_MOST) this.#ws.resume();
      }
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
