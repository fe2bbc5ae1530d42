import { on } from 'node:events';
import type { Http2ServerRequest } from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Clock } from '../async/clock.js';
import { UnfinishedMessage } from './unfinished-message.js';

/** Bounds of request messages that have arrived only in part. Such messages are held in memory until they are whole. */
export interface BodyLimits {
  /** Most bytes held for one connection. */
  connectionBytes: number;
  /**
   * Most bytes held for all connections of a port: this much for calls of our services, and as much for other calls with a credential.
   */
  portBytes: number;
  /** Most bytes held for all connections of a port, for rpcs that need no credential. */
  anonymousBytes: number;
  /**
   * How long a message may take to arrive, ms. The time begins with its first byte; for a call's first message, with the admission of the
   * call.
   */
  messageMs: number;
}

export const BODY_LIMITS: BodyLimits = {
  // A gateway has one connection for all its callers; bodies end at 1 MiB there.
  connectionBytes: 32 * 1024 * 1024,
  portBytes: 128 * 1024 * 1024,
  // Messages of such calls have a few hundred bytes.
  anonymousBytes: 16 * 1024 * 1024,
  // A message of 4 MiB takes this long on a line of 600 kbit/s.
  messageMs: 60_000,
};

/**
 * Frames that an unfinished message may have: FRAMES_FREE, and one more for each BYTES_PER_FRAME of its bytes. A client that sends frames
 * of one byte costs a thousand times the work of another client. Clients usually cut messages into frames of 16 KiB.
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
  /**
   * Bytes of all calls of the port with the same kind of caller: our services, callers with another credential, or anonymous clients.
   */
  port: HeldBytes;
  /** Bytes that a connection may hold even while the port is over its bound, so that no client shuts out the others. */
  shareBytes: number;
  messageMs: number;
  clock: Clock;
}

/**
 * Yields the body of a call for Connect, frame by frame, within the bounds. Throws the error that the client gets. A client that cuts a
 * message into tiny frames loses its connection. Refusing only its call would save nothing, as the frames that were sent already cost as
 * much to refuse as to read.
 */
export async function* guardedBody(
  request: Http2ServerRequest,
  options: GuardedBodyOptions,
): AsyncGenerator<Uint8Array> {
  try {
    await options.admit();
    // A stream that is closed already emits no further event, so the loop would never end.
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
  // Only a few frames are read ahead, as frames are not counted before they are read.
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
  /**
   * The time for the rest of the message, without the time in which the service was busy. Undefined between two messages.
   */
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
