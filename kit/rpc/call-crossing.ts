import {
  type CallOptions,
  Code,
  ConnectError,
  createContextValues,
  type Interceptor,
  type UnaryRequest,
} from '@connectrpc/connect';
import { parseTimeout as parseConnectTimeout } from '@connectrpc/connect/protocol-connect';
import { parseTimeout as parseGrpcTimeout } from '@connectrpc/connect/protocol-grpc';
import { type Call, ClientGone } from '../call/call.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Clock } from '../async/clock.js';
import { ApiError } from '../errors/api-error.js';
import { requestIdOf, type Trace, traceOf } from '../log/trace.js';
import { callKey } from './context.js';
import type { IsOurs } from './mesh.js';
import { peerAddressKey, peerKey } from './tls.js';

/** How a Call crosses an RPC: as headers, written by one client interceptor and read by one server interceptor. */
const HEADERS = {
  requestId: 'x-request-id',
  traceparent: 'traceparent',
  tracestate: 'tracestate',
  authorization: 'authorization',
  clientAddress: 'x-client-address',
} as const;

/**
 * Returns the options for an rpc that is made for `call`. The rpc has the call's remaining time, ends with the call, and carries its
 * identity.
 */
export function rpcOptions(call: Call): CallOptions {
  const remainingMs = call.remainingMs();
  return {
    signal: call.signal,
    contextValues: createContextValues().set(callKey, call),
    // Connect sends whole milliseconds, and takes 0 for a deadline that has passed.
    ...(remainingMs !== Infinity && { timeoutMs: Math.ceil(remainingMs) }),
  };
}

/** Client side: writes the call's identity into the headers. Rpcs made on a service's own behalf have no call, and carry none. */
export const sendCall: Interceptor = (next) => (request) => {
  const call = request.contextValues.get(callKey);
  if (call !== undefined) {
    const { header } = request;
    header.set(HEADERS.requestId, call.requestId);
    header.set(HEADERS.traceparent, call.trace.traceparent);
    if (call.trace.tracestate !== undefined) header.set(HEADERS.tracestate, call.trace.tracestate);
    if (call.authorization !== undefined) header.set(HEADERS.authorization, call.authorization);
    if (call.clientAddress !== undefined) header.set(HEADERS.clientAddress, call.clientAddress);
  }
  return next(request);
};

/**
 * Server side, the outermost interceptor: makes the call from the headers. Connect watches the deadline and the connection, and its signal
 * ends the call. The client's address is believed only from a service of ours, as limits are counted by that address. Any other client has
 * the address of its connection.
 */
export function receiveCall(clock: Clock, isOurs: IsOurs): Interceptor {
  return (next) => (request) => {
    request.contextValues.set(callKey, new ReceivedCall(request, clock, isOurs));
    return next(request);
  };
}

/**
 * A call as the server received it. Never spread it, as that would read `signal`. The signal is made at the first access, since few rpcs
 * need it and Connect aborts its own after each rpc.
 */
class ReceivedCall implements Call {
  readonly requestId: string;
  readonly trace: Trace;
  readonly authorization?: string;
  caller?: Caller;
  readonly clientAddress?: string;
  readonly remainingMs: () => number;
  readonly #rpc: AbortSignal;
  #ended: AbortController | undefined;

  constructor(request: Pick<UnaryRequest, 'header' | 'signal' | 'contextValues'>, clock: Clock, isOurs: IsOurs) {
    const { header, signal, contextValues } = request;
    const [authorization, clientAddress] = [header.get(HEADERS.authorization), header.get(HEADERS.clientAddress)];
    this.requestId = requestIdOf(header.get(HEADERS.requestId));
    this.trace = traceOf(header.get(HEADERS.traceparent), header.get(HEADERS.tracestate));
    if (authorization !== null) this.authorization = authorization;
    // With mutual TLS the peer's certificate must be ours too, as there may be no token.
    const isBelieved = contextValues.get(peerKey) !== false && isOurs(header);
    const address = clientAddress !== null && isBelieved ? clientAddress : contextValues.get(peerAddressKey);
    if (address !== undefined) this.clientAddress = address;
    const deadlineMs = clock.monotonicMs() + timeoutMsOf(header);
    this.remainingMs = () => Math.max(0, deadlineMs - clock.monotonicMs());
    this.#rpc = signal;
  }

  get signal(): AbortSignal {
    if (this.#ended === undefined) {
      const ended = new AbortController();
      const onAbort = (): void => ended.abort(endOf(this.#rpc));
      if (this.#rpc.aborted) onAbort();
      else this.#rpc.addEventListener('abort', onAbort, { once: true });
      this.#ended = ended;
    }
    return this.#ended.signal;
  }
}

/** Returns the time that the client allows, ms, from the header of gRPC or of Connect. Connect has refused malformed values before this. */
export function timeoutMsOf(header: Headers): number {
  const grpc = parseGrpcTimeout(header.get('grpc-timeout'), Infinity).timeoutMs;
  return grpc ?? parseConnectTimeout(header.get('connect-timeout-ms'), Infinity).timeoutMs ?? Infinity;
}

/** Returns the reason why Connect ended an rpc, as an error that a call has. */
function endOf({ reason }: AbortSignal): Error {
  if (reason instanceof ApiError) return reason;
  if (reason instanceof ConnectError && reason.code === Code.DeadlineExceeded) {
    return new ApiError('timeout', 'The time that the client allows is over.');
  }
  return new ClientGone();
}
