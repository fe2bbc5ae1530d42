import type { IncomingMessage } from 'node:http';
import { ClientGone } from '../../kit/call/call.js';
import type { Clock } from '../../kit/async/clock.js';
import { ApiError } from '../../kit/errors/api-error.js';
import type { BodyRoom } from './body-room.js';
import { isCutOff } from './http2-body.js';

export interface ReadBytesOptions {
  /**
   * Larger bodies are refused as too_large: by their Content-Length before anything is read, or else as soon as they exceed the limit.
   */
  maxBytes: number;
  /** A body that is not complete within this time is refused as bad_request. */
  timeoutMs: number;
  clock: Clock;
  /** Counts the bytes that are held while bodies are received. */
  room: BodyRoom;
  /** Account or address that the bytes are counted for. */
  who: string;
  /** The signal of the request's Call. */
  signal: AbortSignal;
}

/**
 * Reads a whole request body into memory. After a failure the rest is still being received, and discardRest drops it. No library does
 * this: raw-body can neither count the bytes held for one caller nor limit the time, and ends the connection with an error.
 */
export function readBytes(request: IncomingMessage, options: ReadBytesOptions): Promise<Buffer> {
  const { maxBytes, timeoutMs, clock, room, who, signal } = options;
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge(maxBytes));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let held = 0;
    const finish = (settle: () => void): void => {
      timer.cancel();
      room.giveBack(who, held);
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      signal.removeEventListener('abort', onAbort);
      settle();
    };
    const fail = (error: Error): void => finish(() => reject(error));
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      const refusal = size > maxBytes ? tooLarge(maxBytes) : room.take(who, chunk.length);
      if (refusal !== undefined) {
        fail(refusal);
        return;
      }
      held = size;
      chunks.push(chunk);
    };
    const onEnd = (): void => (isCutOff(request) ? onClose() : finish(() => resolve(Buffer.concat(chunks, size))));
    const onClose = (): void => fail(new ClientGone());
    const onAbort = (): void => fail(signal.reason as Error);
    const timer = clock.after(timeoutMs, () =>
      fail(new ApiError('bad_request', `The body did not arrive within ${timeoutMs} ms; ${size} bytes did.`)),
    );
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
  });
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError('too_large', `The body is larger than the ${maxBytes} bytes allowed here.`);
}
