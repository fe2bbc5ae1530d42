import { createContextKey, type HandlerContext } from '@connectrpc/connect';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Call } from '../call.js';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../errors.js';

/** The call that an rpc belongs to: on the client's side the one it is made for, on the server's side the one it arrived as. */
export const callKey = createContextKey<Call | undefined>(undefined, { description: 'call' });

/** The call of an rpc that is being served. */
export function callOf(context: Pick<HandlerContext, 'values'>): Call {
  const call = context.values.get(callKey);
  if (call === undefined) throw new Error('receiveCall is missing among the interceptors of this service');
  return call;
}

/** The caller of a public rpc, or of an internal one made for a caller; unauthorized when the latter carries none. */
export function callerOf(context: Pick<HandlerContext, 'values'>): Caller {
  const { caller } = callOf(context);
  if (caller === undefined) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
  return caller;
}

/** Header of the response to a request whose Idempotency-Key had been used: it is the first one's response. The edge passes it on. */
export const REPLAYED_HEADER = 'idempotency-replayed';
