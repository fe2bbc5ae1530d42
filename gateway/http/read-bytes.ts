import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import type { BodyRoom } from './body-room.js';

export interface ReadBytesOptions {
  /** Larger bodies are refused as too_large, by their Content-Length before anything is read, else as soon as they pass it. */
  maxBytes: number;
  /** A body that is not complete by then is refused as bad_request. */
  timeoutMs: number;
  clock: Clock;
  /** Where they are counted while they come in. */
  room: BodyRoom;
  /** Whose they are. */
  who: string;
}

/** The client hung up; there is nobody left to answer. */
export class ClientGone extends Error {
  override name = 'ClientGone';
}

/**
 * Reads a whole request body into memory. After a failure the rest is still coming in; discardRest takes care of it once the
 * answer has been sent.
 */
export function readBytes(request: IncomingMessage, options: ReadBytesOptions): Promise<Buffer> {
  const { maxBytes, timeoutMs, clock, room, who } = options;
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxBytes) return Promise.reject(tooLarge(maxBytes));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let held = 0;
    const finish = (settle: () => void): void => {
      timer.cancel();
      room.giveBack(who, held);
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      settle();
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      const refusal = size > maxBytes ? tooLarge(maxBytes) : room.take(who, chunk.length);
      if (refusal !== undefined) {
        finish(() => reject(refusal));
        return;
      }
      held = size;
      chunks.push(chunk);
    };
    const onEnd = (): void =>
      finish(() => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size)));
    const onClose = (): void => finish(() => reject(new ClientGone('the client hung up while sending its body')));
    const timer = clock.after(timeoutMs, () =>
      finish(() =>
        reject(new ApiError('bad_request', `The body did not arrive within ${timeoutMs} ms; ${size} bytes did.`)),
      ),
    );
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError('too_large', `The body is larger than the ${maxBytes} bytes allowed here.`);
}
