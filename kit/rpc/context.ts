import { createContextKey, type HandlerContext } from '@connectrpc/connect';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../errors.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';

/** Who calls. Set by the caller interceptor for every public rpc, and for internal ones made on a caller's behalf. */
export const callerKey = createContextKey<Caller | undefined>(undefined, { description: 'caller' });

/** The caller of a public rpc, or of an internal one made on a caller's behalf; unauthorized when the latter carries none. */
export function callerOf(context: HandlerContext): Caller {
  const caller = context.values.get(callerKey);
  if (caller === undefined) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
  return caller;
}

/** Headers that belong to one request of a customer and go along to every rpc made for it. */
const FORWARDED_HEADERS = ['authorization', 'x-request-id', 'traceparent', 'tracestate'];

/** Options for a call to another service on behalf of the caller of `context`: identity, request id, trace, deadline, abort. */
export function onBehalfOf(context: HandlerContext): { headers: Headers; signal: AbortSignal } {
  const headers = new Headers();
  for (const name of FORWARDED_HEADERS) {
    const value = context.requestHeader.get(name);
    if (value !== null) headers.set(name, value);
  }
  return { headers, signal: context.signal };
}

/** Set on the answer of a request whose Idempotency-Key had been used: it is the first one's answer. The edge passes it on. */
export const REPLAYED_HEADER = 'idempotency-replayed';
