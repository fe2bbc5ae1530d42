import { on } from 'node:events';
import type { Http2ServerRequest } from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Clock } from '../clock.js';
import { UnfinishedMessage } from './unfinished-message.js';

/** Bounds of request messages that have not come whole, which are held in memory until they have. */
export interface BodyLimits {
  /** Of one connection, bytes. */
  connectionBytes: number;
  /** Of all connections of a port, bytes: so much of the calls of our services, and as much of other calls with a credential. */
  portBytes: number;
  /** Of all connections of a port, bytes, of rpcs that need no credential. */
  strangersBytes: number;
  /** How long a message may take from its first byte to its last, ms. */
  messageMs: number;
}

export const BODY_LIMITS: BodyLimits = {
  // A gateway has one connection for all its callers; bodies end at 1 MiB there.
  connectionBytes: 32 * 1024 * 1024,
  portBytes: 128 * 1024 * 1024,
  // Their messages have some hundred bytes.
  strangersBytes: 16 * 1024 * 1024,
  // 4 MiB by a line of 600 kbit/s.
  messageMs: 60_000,
};

/**
 * Frames of an unfinished message, and one more for each BYTES_PER_FRAME of it. A client that sends frames of one byte costs a thousand
 * times the work of one that does not; clients cut messages into frames of 16 KiB.
 */
const FRAMES_FREE = 64;
const BYTES_PER_FRAME = 256;

/** Bytes that are held at a time, such as those of a connection. */
export class HeldBytes {
  #held = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get isOver(): boolean {
    return this.#held > this.#most;
  }

  isAbove(bytes: number): boolean {
    return this.#held > bytes;
  }

  add(bytes: number): void {
    this.#held += bytes;
  }
}

export interface GuardedBodyOptions {
  /** Checks the call before the first byte is read; rejects with the call's error. */
  admit: () => Promise<void>;
  /** Whether the client may send several messages, each with its length in front. Otherwise the whole body is one message. */
  enveloped: boolean;
  /** Called with the error that the client gets for a call whose message is not read to its end. */
  onRefused: (error: unknown) => void;
  connection: HeldBytes;
  /** Of the calls of the port that show as much: our services, callers with another credential, or strangers. */
  port: HeldBytes;
  /** What a connection may hold although the port is over its bound: no client can shut the others out. */
  shareBytes: number;
  messageMs: number;
  clock: Clock;
}

/**
 * The body of a call as Connect reads it, frame by frame, within the bounds. The iteration throws the error that the client gets. A client
 * that cuts a message into tiny frames loses its connection: what it has sent already would cost as much to read as to refuse.
 */
export async function* guardedBody(
  request: Http2ServerRequest,
  options: GuardedBodyOptions,
): AsyncGenerator<Uint8Array> {
  try {
    await options.admit();
    // Its end is not reported again.
    if (!request.stream.closed) yield* framesWithin(request, options);
  } catch (error) {
    options.onRefused(error);
    throw error;
  }
}

async function* framesWithin(request: Http2ServerRequest, options: GuardedBodyOptions): AsyncGenerator<Uint8Array> {
  const { connection, port, shareBytes, clock, messageMs } = options;
  const message = new UnfinishedMessage(options.enveloped);
  const late = new AbortController();
  // Few frames ahead: they are not counted before they are read.
  const ahead = { close: ['end', 'close'], highWaterMark: 4, lowWaterMark: 2, signal: late.signal };
  const frames = on(request, 'data', ahead) as AsyncIterator<[Uint8Array]>;
  let held = 0;
  let isClosed = false;
  const hold = (bytes: number): void => {
    if (isClosed) return;
    connection.add(bytes - held);
    port.add(bytes - held);
    held = bytes;
  };
  // Connect leaves the iteration unfinished after some errors, such as that of a second message for a unary rpc.
  request.stream.once('close', () => {
    hold(0);
    isClosed = true;
  });
  /** For the rest of the message, without the time in which the service was busy. Undefined between two messages. */
  let leftMs: number | undefined = messageMs;
  try {
    for (;;) {
      const beganMs = clock.monotonicMs();
      const timer = leftMs === undefined ? undefined : clock.after(leftMs, () => late.abort());
      const next = await frames.next().finally(() => timer?.cancel());
      if (next.done === true) return;
      const [frame] = next.value;
      if (message.add(frame)) leftMs = undefined;
      if (leftMs !== undefined) leftMs -= clock.monotonicMs() - beganMs;
      else if (message.bytes > 0) leftMs = messageMs;
      hold(message.bytes);
      if (message.frames > FRAMES_FREE + message.bytes / BYTES_PER_FRAME) {
        request.stream.session?.destroy();
        throw new ConnectError('The message came in too many frames.', Code.ResourceExhausted);
      }
      if (connection.isOver || (port.isOver && connection.isAbove(shareBytes))) {
        throw new ConnectError(
          'Too many messages are on their way to this service. Send the call again later.',
          Code.ResourceExhausted,
        );
      }
      yield frame;
    }
  } catch (error) {
    if (!late.signal.aborted) throw error;
    throw new ConnectError(`The message did not come within ${messageMs / 1_000} s.`, Code.DeadlineExceeded);
  } finally {
    hold(0);
  }
}
