import { Duplex } from 'node:stream';
import { WakeSignal } from '../../kit/async/wake-signal.js';
import { joinPieces } from '../../kit/net/join-pieces.js';
import type { PeerStream } from './peer-stream.js';

/** So many bytes are joined to one message. */
const JOINED_BYTES = 64 * 1024;

/**
 * A client's side of a session through the API: the pieces of a stream of messages in place of a TCP connection. It is read no faster than
 * the session takes, and takes no more than its reader does, apart from `bufferBytes` each way.
 */
export class TunnelStream extends Duplex implements PeerStream {
  bytesRead = 0;
  readonly #pieces: AsyncIterator<Uint8Array, unknown>;
  readonly #news = new WakeSignal();
  /** Bytes for the client that the reader has not taken. */
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** Called when the reader has taken all that waits. Undefined: there is room for more. */
  #onRoom: (() => void) | undefined;

  /** `pieces` are the client's bytes; their end is the client's. */
  constructor(pieces: AsyncIterator<Uint8Array, unknown>, bufferBytes: number) {
    super({ highWaterMark: bufferBytes, allowHalfOpen: false });
    this.#pieces = pieces;
  }

  /** Yields the bytes for the client, once. Ends when all were sent and the session has ended. The stream ends with its reader. */
  async *output(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      while (!this.destroyed) {
        const pieces = joinPieces(this.#waiting);
        this.#waiting = [];
        for (const piece of pieces) yield piece;
        if (this.#waiting.length > 0) continue;
        this.#waitingBytes = 0;
        const onRoom = this.#onRoom;
        this.#onRoom = undefined;
        onRoom?.();
        if (this.writableFinished) return;
        if (this.#waiting.length === 0) await this.#news.wait();
      }
    } finally {
      this.destroy();
    }
  }

  setNoDelay(): this {
    return this;
  }

  /** Does nothing: the edge notices clients that vanished. */
  setKeepAlive(): this {
    return this;
  }

  resetAndDestroy(): this {
    return this.destroy();
  }

  override _read(): void {
    this.#pieces.next().then(
      ({ done, value }) => {
        if (done === true) {
          this.push(null);
          return;
        }
        const { buffer, byteOffset, length } = value;
        this.bytesRead += length;
        if (length > 0) this.push(Buffer.from(buffer, byteOffset, length));
        else this._read();
      },
      (error: unknown) => this.destroy(error as Error),
    );
  }

  override _write(piece: Buffer, _encoding: BufferEncoding, taken: () => void): void {
    this.#waiting.push(piece);
    this.#waitingBytes += piece.length;
    this.#news.wake();
    // A little waits here, so that small pieces become one message. The session sees all else wait, and sees that it moves.
    if (this.#waitingBytes < JOINED_BYTES) taken();
    else this.#onRoom = taken;
  }

  override _final(done: () => void): void {
    this.once('finish', () => this.#news.wake());
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#news.wake();
    done(error);
  }
}
