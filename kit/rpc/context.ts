import { createContextKey, type HandlerContext } from '@connectrpc/connect';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Call } from '../call/call.js';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../errors/api-error.js';

/**
 * Holds the call that an rpc is a part of. A client sets the call for which it makes the rpc, and a server the call that came with the rpc.
 */
export const callKey = createContextKey<Call | undefined>(undefined, { description: 'call' });

/** Returns the call of an rpc that is being served. */
export function callOf(context: Pick<HandlerContext, 'values'>): Call {
  const call = context.values.get(callKey);
  if (call === undefined) throw new Error('receiveCall is missing among the interceptors of this service');
  return call;
}

/** Returns the caller of a public rpc, or of an internal rpc that is made for a caller. Throws unauthorized when the call has no caller. */
export function callerOf(context: Pick<HandlerContext, 'values'>): Caller {
  const { caller } = callOf(context);
  if (caller === undefined) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
  return caller;
}

/** Header of a response that repeats the response to an earlier request with the same Idempotency-Key. The gateway passes the header on. */
export const REPLAYED_HEADER = 'idempotency-replayed';
