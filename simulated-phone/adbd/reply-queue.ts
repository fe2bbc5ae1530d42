import type { AdbStream } from '../../phone/adb/device/adb-stream.js';

/** The most bytes of replies that may wait for the client. No more requests are read while more bytes wait. */
const MAX_WAITING_BYTES = 256 * 1024;

/**
 * Sends replies on a stream, and lets further requests be read before the client has acknowledged the replies. adbd does the same, because
 * a client may send a hundred requests before it acknowledges any reply.
 */
export class ReplyQueue {
  readonly #stream: AdbStream;
  #waitingBytes = 0;
  #failure: unknown;

  constructor(stream: AdbStream) {
    this.#stream = stream;
  }

  get maxPayloadBytes(): number {
    return this.#stream.maxPayloadBytes;
  }

  /** Resolves when there is room for another reply. Throws BrokenPipe when the stream is over. */
  async send(...parts: readonly Buffer[]): Promise<void> {
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    this.#waitingBytes += bytes;
    const written = this.#stream.writeParts(parts).then(
      () => void (this.#waitingBytes -= bytes),
      (error: unknown) => void (this.#failure ??= error),
    );
    if (this.#waitingBytes > MAX_WAITING_BYTES) await written;
    if (this.#failure !== undefined) throw this.#failure; // eslint-disable-line @typescript-eslint/only-throw-error -- as it came
  }
}
