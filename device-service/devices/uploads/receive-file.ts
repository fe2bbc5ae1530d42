import { begunAhead } from '../../../kit/async/begun-ahead.js';
import { createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { ApiError } from '../../../kit/errors/api-error.js';
import type { HostSpace } from '../../../kit/files/host-space.js';
import { withRoom } from './with-room.js';

export interface ReceiveOptions {
  contentType: string | undefined;
  /** The path that the file is written to. */
  to: string;
  maxBytes: number;
  /** The free space on the disk of `to`. */
  hostSpace: HostSpace;
  signal: AbortSignal;
  /** Called with each piece of the file, in order. Absent: nobody is notified. */
  onPiece?: (piece: Uint8Array) => void;
}

/**
 * Matches the content types that the contract has for a body that is the file itself. Any other type, such as curl's default, is refused
 * unless it is multipart/form-data.
 */
const ITSELF = /^application\/(?:octet-stream|vnd\.android\.package-archive)\s*(?:;.*)?$/i;
const MULTIPART = /^multipart\/form-data\s*;/i;

/**
 * Writes an uploaded file to disk as it arrives, with no more than a piece of it in memory. The body is the file itself, or
 * multipart/form-data with one file. Once this returns, the file is durable on disk. Returns its size, bytes.
 */
export async function receiveFile(body: AsyncIterable<Uint8Array>, options: ReceiveOptions): Promise<number> {
  const { contentType = 'application/octet-stream' } = options;
  let bytes: number;
  if (ITSELF.test(contentType)) bytes = await write(Readable.from(body), options);
  else if (MULTIPART.test(contentType)) bytes = await fileInForm(body, contentType, options);
  else {
    throw new ApiError(
      'unsupported_media_type',
      `The Content-Type is "${contentType.slice(0, 100)}". Send the file as application/vnd.android.package-archive or application/octet-stream, or in multipart/form-data.`,
    );
  }
  if (bytes === 0) throw new ApiError('bad_request', 'The body is empty. Send the APK as the body of the request.');
  return bytes;
}

/**
 * Writes the bytes, and returns their number. Throws too_large as soon as they exceed the limit, and unavailable when there is no room.
 */
async function write(source: Readable, { to, maxBytes, hostSpace, signal, onPiece }: ReceiveOptions): Promise<number> {
  let bytes = 0;
  const bounded = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) {
        onPiece?.(chunk);
        done(undefined, chunk);
      } else done(new ApiError('too_large', `The file is larger than the ${maxBytes} bytes allowed here.`));
    },
  });
  await withRoom(() => {
    const file = createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true });
    return pipeline(source, bounded, (content) => hostSpace.bounded(content), file, { signal });
  });
  return bytes;
}

async function fileInForm(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
  options: ReceiveOptions,
): Promise<number> {
  const form = parserOf(contentType);
  const over = new AbortController();
  let file: Promise<number> | undefined;
  form.once('file', (_field, part) => {
    file = begunAhead(write(part, { ...options, signal: over.signal }));
    file.catch((error: unknown) => form.destroy(error as Error));
  });
  form.once('filesLimit', () => form.destroy(new ApiError('bad_request', 'There is more than one file in the form.')));
  try {
    await pipeline(Readable.from(body), form, { signal: options.signal });
    if (file === undefined) {
      throw new ApiError('bad_request', 'There is no file in the form. Send the APK as its one file.');
    }
    return await file;
  } catch (error) {
    over.abort(error);
    // The write is awaited, so that nothing is written after the folder is removed.
    await file?.catch(() => undefined);
    throw error instanceof ApiError || options.signal.aborted ? error : notAForm(error);
  }
}

function parserOf(contentType: string): Busboy {
  try {
    const headers = { 'content-type': contentType } as BusboyHeaders;
    return new Busboy({ headers, limits: { files: 1, fields: 20, fieldSize: 1_024, headerPairs: 20 } });
  } catch (error) {
    throw notAForm(error);
  }
}

function notAForm(cause: unknown): ApiError {
  return new ApiError('bad_request', 'The body is not a whole multipart/form-data body.', { cause });
}
