import { Code, ConnectError, type Interceptor, type Transport } from '@connectrpc/connect';
import { ClientGone } from '../call/call.js';
import { ApiError, errorKinds, INTERNAL_MESSAGE, kindOfCode } from '../errors/api-error.js';
import type { Log } from '../log/log.js';
import { databaseUnavailable } from '../errors/database-unavailable.js';

/**
 * How errors cross an RPC intact. The server side turns an ApiError into its Connect code, with the kind in a header; anything
 * else becomes `internal` and its cause is logged. The client side turns that back. An error without the header comes from the
 * transport, and its text may contain addresses, so callers get a fixed one.
 */
const KIND_HEADER = 'x-error-kind';
const RETRY_AFTER_HEADER = 'x-retry-after-s';
const REPLAYED_HEADER = 'x-error-replayed';

/** When callers may repeat a request that an older service does not know, s. A step of a rolling upgrade takes about this time. */
const UPGRADE_RETRY_S = 30;

/** Returns the server's interceptor. Only the interceptors that begin and log the call are outside it. */
export function sendErrors(log: Log): Interceptor {
  return (next) => async (request) => {
    const outward = (error: unknown): ConnectError => toConnectError(error, request.signal, log, request.url);
    try {
      const response = await next(request);
      return response.stream ? { ...response, message: mapErrors(response.message, outward) } : response;
    } catch (error) {
      throw outward(error);
    }
  };
}

/**
 * Returns the client's transport, whose calls fail with ApiErrors. `service` names the other end for people: "the screen service". This is
 * not an interceptor: Connect wraps the errors that interceptors throw, and Connect's deadline is outside them.
 */
export function receiveErrors(transport: Transport, service: string): Transport {
  return {
    async unary(method, signal, timeoutMs, header, input, contextValues) {
      try {
        return await transport.unary(method, signal, timeoutMs, header, input, contextValues);
      } catch (error) {
        throw toApiError(error, service, signal);
      }
    },
    async stream(method, signal, timeoutMs, header, input, contextValues) {
      const inward = (error: unknown): unknown => toApiError(error, service, signal);
      try {
        const response = await transport.stream(method, signal, timeoutMs, header, input, contextValues);
        return { ...response, message: mapErrors(response.message, inward) };
      } catch (error) {
        throw inward(error);
      }
    },
  };
}

/** Returns whether the service was not reached, or ended before it responded. A service that reports unavailable itself has responded. */
export function gotNoResponse({ kind, cause }: ApiError): boolean {
  if (kind !== 'unavailable' || !(cause instanceof ConnectError)) return false;
  return cause.code !== Code.Unimplemented && !cause.metadata.has(KIND_HEADER);
}

/**
 * The error as it crosses an rpc. An error that is no ApiError becomes `internal`, and is logged with the rpc's URL.
 */
export function toConnectError(error: unknown, signal: AbortSignal, log: Log, url: string): ConnectError {
  const unavailable = databaseUnavailable(error);
  if (unavailable !== undefined) return toConnectError(unavailable, signal, log, url);
  if (error instanceof ApiError) {
    const code = errorKinds[error.kind].code ?? Code.Internal;
    if (error.kind === 'internal') log.error({ err: error.cause ?? error, rpc: url }, 'internal error');
    else if (isOutside(error)) log.error({ err: error.cause, rpc: url }, error.message);
    const headers = new Headers({ [KIND_HEADER]: error.kind });
    if (error.retryAfterS !== undefined) headers.set(RETRY_AFTER_HEADER, String(error.retryAfterS));
    if (error.replayed === true) headers.set(REPLAYED_HEADER, 'true');
    return new ConnectError(error.message, code, headers);
  }
  // Connect itself throws for malformed or too large messages, unknown methods and the caller's deadline.
  if (error instanceof ConnectError) return error;
  if (signal.aborted) return ConnectError.from(signal.reason, Code.Canceled);
  log.error({ err: error, rpc: url }, 'unexpected error');
  return new ConnectError(INTERNAL_MESSAGE, Code.Internal, { [KIND_HEADER]: 'internal' });
}

/** Returns whether something outside our services failed. A failure that another service reports is in that service's log. */
function isOutside({ kind, cause }: ApiError): boolean {
  return errorKinds[kind].status >= 500 && cause !== undefined && !(cause instanceof ConnectError);
}

function toApiError(error: unknown, service: string, signal: AbortSignal | undefined): unknown {
  if (!(error instanceof ConnectError)) return error;
  const kind = kindOfCode(error.code);
  const seconds = Number(error.metadata.get(RETRY_AFTER_HEADER) ?? NaN);
  if (kind !== undefined && error.metadata.get(KIND_HEADER) === kind) {
    return new ApiError(kind, error.rawMessage, {
      cause: error,
      replayed: error.metadata.has(REPLAYED_HEADER),
      ...(seconds >= 0 && { retryAfterS: seconds }),
    });
  }
  // Our own side may have ended the call. Then the signal's reason is more specific than the code.
  const reason: unknown = signal?.aborted === true ? signal.reason : undefined;
  if (reason instanceof ClientGone || reason instanceof ApiError) return reason;
  if (signal?.aborted === true && error.code === Code.Canceled) return error;
  switch (error.code) {
    case Code.DeadlineExceeded:
      return new ApiError('timeout', `${sentence(service)} did not respond in time. Try again.`, { cause: error });
    case Code.Unavailable:
    case Code.Canceled:
    case Code.Aborted:
      return new ApiError('unavailable', `${sentence(service)} cannot be reached just now. Try again.`, {
        cause: error,
        retryAfterS: 1,
      });
    // The gateway was upgraded before the service was.
    case Code.Unimplemented:
      return new ApiError(
        'unavailable',
        `${sentence(service)} does not know this request yet: it is of an older version, and is being upgraded. Try again later.`,
        { cause: error, retryAfterS: UPGRADE_RETRY_S },
      );
    case Code.InvalidArgument:
      return new ApiError('bad_request', error.rawMessage, { cause: error });
    default:
      return new ApiError('internal', INTERNAL_MESSAGE, { cause: error });
  }
}

async function* mapErrors<T>(messages: AsyncIterable<T>, map: (error: unknown) => unknown): AsyncIterable<T> {
  try {
    yield* messages;
  } catch (error) {
    throw map(error);
  }
}

/** The service's name at the beginning of a sentence that callers read. */
function sentence(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
