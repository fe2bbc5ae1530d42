import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { ClientGone } from '../../kit/call.js';
import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import { refuseEncoded } from './content-encoding.js';
import { isCutOff } from './http2-body.js';

export interface BodyChunksOptions {
  /**
   * A body that declares more is refused as too_large before anything is read; a form may declare FORM_BYTES more. The service bounds
   * the bytes of the file that arrive.
   */
  maxBytes: number;
  /** A body of which nothing comes for so long is refused as bad_request. */
  idleMs: number;
  clock: Clock;
}

/** Bytes of one body that are held while its reader is busy. */
const HELD_BYTES = 256 * 1024;

/** Room for the parts of a multipart form around its file, bytes. */
const FORM_BYTES = 1024 * 1024;

/**
 * Yields a request's body as it arrives, for a route that passes it on: no more than a piece of it is held, and TCP slows the client
 * down while the pieces are not read. The rest of a body whose reader stops early still comes in; discardRest drops it.
 */
export async function* bodyChunks(request: IncomingMessage, options: BodyChunksOptions): AsyncGenerator<Buffer> {
  const { maxBytes, idleMs, clock } = options;
  refuseEncoded(request);
  const isForm = /^multipart\//i.test(request.headers['content-type'] ?? '');
  if (Number(request.headers['content-length'] ?? 0) > maxBytes + (isForm ? FORM_BYTES : 0)) {
    throw new ApiError('too_large', `The body is larger than the ${maxBytes} bytes allowed here.`);
  }
  const chunks = new PassThrough({ highWaterMark: HELD_BYTES });
  const onClose = (): void => {
    if (!request.complete || isCutOff(request)) chunks.destroy(new ClientGone());
  };
  // Before the pipe's own listener, which would end the chunks as if they were all.
  request.once('end', onClose).once('close', onClose).once('error', onClose).pipe(chunks);
  const late = (): void => {
    chunks.destroy(new ApiError('bad_request', `Nothing of the body arrived for ${idleMs / 1000} s.`));
  };
  try {
    const iterator = chunks.iterator({ destroyOnReturn: false });
    for (;;) {
      const timer = clock.after(idleMs, late);
      const step = await iterator.next().finally(() => timer.cancel());
      if (step.done === true) return;
      yield step.value as Buffer;
    }
  } finally {
    request.unpipe(chunks).off('end', onClose).off('close', onClose);
    chunks.destroy();
  }
}
