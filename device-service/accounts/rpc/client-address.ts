import type { HandlerContext } from '@connectrpc/connect';
import { callOf } from '../../../kit/rpc/context.js';

/** Returns the client's address as the edge saw it. All direct clients of the gRPC port count as one. */
export function addressOf(context: HandlerContext): string {
  return callOf(context).clientAddress ?? 'direct';
}
