import type { RawData, WebSocket } from 'ws';
import { WakeSignal } from '../../kit/async/wake-signal.js';
import { joinPieces } from '../../kit/net/join-pieces.js';

/**
 * With this many waiting bytes or messages, nothing more is read from the client. What was read already comes in addition: a message of the
 * largest size, or 64 KiB of small ones.
 */
const MAX_WAITING_BYTES = 256 * 1024;
const MAX_WAITING_MESSAGES = 1_000;

/** The bytes of a client of a WebSocket, in order. */
export class ClientBytes {
  readonly #ws: WebSocket;
  readonly #news = new WakeSignal();
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #hasEnded = false;

  /** `onText` is called for a text message. */
  constructor(ws: WebSocket, onText: () => void) {
    this.#ws = ws;
    ws.on('message', (data: RawData, isBinary: boolean) => {
      if (!isBinary) {
        onText();
        return;
      }
      if (this.#hasEnded) return;
      const piece = data as Buffer;
      this.#waiting.push(piece);
      this.#waitingBytes += piece.length;
      if (this.#isFull) ws.pause();
      this.#news.wake();
    });
    ws.once('close', () => this.stop());
  }

  /** Ends the bytes after those that wait. Later ones are dropped. */
  stop(): void {
    this.#hasEnded = true;
    this.#news.wake();
  }

  get #isFull(): boolean {
    return this.#waitingBytes >= MAX_WAITING_BYTES || this.#waiting.length >= MAX_WAITING_MESSAGES;
  }

  /**
   * Yields each piece once the piece before it was taken, small messages joined. Ends after the last piece before `stop`, or the close.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    for (;;) {
      while (this.#waiting.length > 0) {
        const taken = this.#waiting;
        this.#waiting = [];
        for (const piece of joinPieces(taken)) {
          yield piece;
          this.#waitingBytes -= piece.length;
        }
        if (this.#ws.isPaused && !this.#isFull) this.#ws.resume();
      }
      if (this.#hasEnded) return;
      await this.#news.wait();
    }
  }
}
