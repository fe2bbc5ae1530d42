import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { ClientGone } from '../../kit/call/call.js';
import type { Clock } from '../../kit/async/clock.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { refuseEncoded } from './content-encoding.js';
import { isCutOff } from './http2-body.js';

export interface BodyChunksOptions {
  /**
   * A body that declares more is refused as too_large before anything is read. A form may declare FORM_BYTES more. The service
   * that receives the file bounds the bytes that really arrive.
   */
  maxBytes: number;
  /** If no bytes of a body come for this long, the body is refused as bad_request. */
  idleMs: number;
  clock: Clock;
}

/** How many bytes of one body are held while its reader is busy. */
const HELD_BYTES = 256 * 1024;

/** Room for the parts of a multipart form around its file, bytes. */
const FORM_BYTES = 1024 * 1024;

/**
 * Yields a request's body as it arrives, for a route that passes it on. Only about HELD_BYTES of the body are held: TCP slows the client
 * down while they are not read. If the reader stops early, the rest of the body still comes in, and discardRest drops it.
 */
export function bodyChunks(request: IncomingMessage, options: BodyChunksOptions): AsyncGenerator<Buffer> {
  const chunks = new PassThrough({ highWaterMark: HELD_BYTES });
  const pieces = piecesOf(request, chunks, options);
  const end = pieces.return.bind(pieces);
  pieces.return = (value) => {
    // Without this, a reader that ends while it waits for a piece would go on waiting until a piece comes, or `idleMs` is over.
    request.unpipe(chunks);
    chunks.end();
    return end(value);
  };
  return pieces;
}

async function* piecesOf(
  request: IncomingMessage,
  chunks: PassThrough,
  { maxBytes, idleMs, clock }: BodyChunksOptions,
): AsyncGenerator<Buffer> {
  refuseEncoded(request);
  const isForm = /^multipart\//i.test(request.headers['content-type'] ?? '');
  if (Number(request.headers['content-length'] ?? 0) > maxBytes + (isForm ? FORM_BYTES : 0)) {
    throw new ApiError('too_large', `The body is larger than the ${maxBytes} bytes allowed here.`);
  }
  const onClose = (): void => {
    if (!request.complete || isCutOff(request)) chunks.destroy(new ClientGone());
  };
  // These listeners are added before the pipe's own, so that they run first. The pipe would end the chunks as if a cut body were whole.
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
