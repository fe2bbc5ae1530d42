import { ApiError } from '../../kit/errors/api-error.js';
import type { JsonValue } from '../json/parse.js';

/** The id of a request, by which its response is known. */
export type RequestId = string | number;

/** A message of a client, as far as the edge reads it. The SDK reads the rest. */
export interface Message {
  /** The message as plain objects. */
  body: object;
  method: string | undefined;
  /** Absent: the message is no request, and gets no response. */
  id: RequestId | undefined;
  /** The request that the message cancels. Absent: it is no cancellation. */
  cancels: RequestId | undefined;
  /** Whether progress of the request is to be reported. */
  wantsProgress: boolean;
}

/** Longest id of a request, characters. The id is kept while the request is served, and is written into the response. */
const MAX_ID_CHARS = 256;

/** Reads the body of a request to /mcp. Throws bad_request for a body that is not one message. */
export function messageOf(value: JsonValue | undefined): Message {
  if (Array.isArray(value))
    throw new ApiError(
      'bad_request',
      'Send one message in each request. The protocol has no batches since 2025-06-18.',
    );
  if (!(value instanceof Map))
    throw new ApiError(
      'bad_request',
      'The body must be one JSON-RPC message, such as {"jsonrpc":"2.0","id":1,"method":"tools/list"}.',
    );
  const method = textOf(value.get('method'));
  const params = value.get('params');
  const cancels = method === 'notifications/cancelled' ? fieldOf(params, 'requestId') : undefined;
  return {
    body: plain(value) as object,
    method,
    id: idOf(value.get('id')),
    cancels: idOf(cancels),
    wantsProgress: fieldOf(fieldOf(params, '_meta'), 'progressToken') !== undefined,
  };
}

function idOf(value: JsonValue | undefined): RequestId | undefined {
  if (typeof value === 'string' && value.length > MAX_ID_CHARS)
    throw new ApiError('bad_request', `An id may have at most ${MAX_ID_CHARS} characters.`);
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function fieldOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return value instanceof Map ? value.get(name) : undefined;
}

/** Turns Maps into objects. Each name becomes a property of the object itself, also `__proto__`. */
function plain(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...value].map(([name, field]) => [name, plain(field)]));
}
