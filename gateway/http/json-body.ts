import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../kit/errors/api-error.js';
import { type JsonValue, parseJson } from '../json/parse.js';
import { hasHttp2Body } from './http2-body.js';
import { refuseEncoded } from './content-encoding.js';
import { readBytes, type ReadBytesOptions } from './read-bytes.js';

/**
 * Reads a request's JSON body; undefined when there is none. Throws too_large, unsupported_media_type and bad_request. Whenever possible,
 * it throws before a byte of the body is read.
 */
export async function readJsonBody(
  request: IncomingMessage,
  options: ReadBytesOptions,
): Promise<JsonValue | undefined> {
  if (!mayHaveBody(request)) return undefined;
  refuseEncoded(request);
  const contentType = request.headers['content-type'];
  if (contentType !== undefined) assertJson(contentType);
  const bytes = await readBytes(request, options);
  if (bytes.length === 0) return undefined;
  if (contentType === undefined) assertJson('');
  if (!isUtf8(bytes)) throw new ApiError('bad_request', 'The body is not valid UTF-8.');
  const text = bytes.toString('utf8', startsWithMark(bytes) ? MARK.length : 0);
  return parseJson(text);
}

/** Refuses a body on a route that takes none. It reads only as much as detecting a body needs. */
export async function refuseBody(request: IncomingMessage, options: ReadBytesOptions): Promise<undefined> {
  if (!mayHaveBody(request)) return undefined;
  const length = request.headers['content-length'];
  try {
    if (length === undefined) await readBytes(request, { ...options, maxBytes: 0 });
  } catch (error) {
    if (!(error instanceof ApiError && error.kind === 'too_large')) throw error;
    throw noBodyAllowed(request);
  }
  if (length !== undefined) throw noBodyAllowed(request);
  return undefined;
}

function noBodyAllowed({ method = '' }: IncomingMessage): ApiError {
  return new ApiError('bad_request', `This ${method} route takes no body. Put its parameters into the query.`);
}

function mayHaveBody(request: IncomingMessage): boolean {
  const { headers } = request;
  const length = headers['content-length'];
  return (
    hasHttp2Body(request) ??
    (headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) !== 0))
  );
}

const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*"?utf-?8"?[ \t]*)?;?$/i;

function assertJson(contentType: string): void {
  if (JSON_TYPE.test(contentType)) return;
  const given = contentType === '' ? 'not given' : `"${contentType.slice(0, 100)}"`;
  throw new ApiError(
    'unsupported_media_type',
    `The Content-Type is ${given}. Send JSON in UTF-8 with Content-Type: application/json.`,
  );
}

/** A byte order mark. JSON texts should not have one; some editors and shells add it. */
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

function startsWithMark(bytes: Buffer): boolean {
  return bytes.length >= MARK.length && bytes.compare(MARK, 0, MARK.length, 0, MARK.length) === 0;
}
