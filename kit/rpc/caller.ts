import type { Interceptor } from '@connectrpc/connect';
import type { Clock } from '../clock.js';
import { type Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../errors.js';
import { callKey, callOf } from './context.js';
import { isInternal, routeOf } from './mesh.js';

/** Turns the value of an Authorization header into a caller; throws unauthorized. */
export type Authenticate = (authorization: string) => Promise<Caller>;

/** How often the caller of an open stream is asked about again, ms. With a service's cache of 1 s a revoked key is off within 2 s. */
export const STREAM_CHECK_MS = 1_000;

/**
 * Server side: who calls, and whether the route is for them. An internal rpc made on a caller's behalf carries the caller's
 * header too; one made on the service's own behalf carries none. A stream ends with unauthorized soon after its caller's key was
 * revoked.
 */
export function identifyCaller(authenticate: Authenticate, clock: Clock): Interceptor {
  return (next) => async (request) => {
    const traits = routeOf(request.method);
    const isPublic = traits === undefined ? !isInternal(request.method) : traits.scope === Scope.PUBLIC;
    if (isPublic) return next(request);
    const call = callOf({ values: request.contextValues });
    const { authorization } = call;
    if (authorization === undefined) {
      if (traits === undefined) return next(request);
      throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
    }
    const caller = await authenticate(authorization);
    if (traits !== undefined) assertScope(caller, traits.scope);
    request.contextValues.set(callKey, { ...call, caller });
    const response = await next(request);
    if (!response.stream) return response;
    return { ...response, message: whileGood(response.message, () => authenticate(authorization), clock) };
  };
}

/** Throws forbidden unless the caller's scope includes what the route needs. Used by the edge and by every service. */
export function assertScope(caller: Caller, needed: Scope): void {
  if (needed !== Scope.UNSPECIFIED && caller.scope >= needed) return;
  throw new ApiError(
    'forbidden',
    needed === Scope.OWNER
      ? 'API keys cannot do this. Sign in to the control panel.'
      : 'This key is read-only. Use a key with scope control.',
  );
}

/**
 * The messages of a stream for as long as `check` holds. Only unauthorized ends it: that nobody could be asked for a moment is no
 * reason to break off what was allowed.
 */
export async function* whileGood<T>(
  messages: AsyncIterable<T>,
  check: () => Promise<unknown>,
  clock: Clock,
): AsyncIterable<T> {
  const iterator = messages[Symbol.asyncIterator]();
  const over = new AbortController();
  let revoked: Error | undefined;
  let onRevoked: (error: Error) => void = () => undefined;
  void watch(check, clock, over.signal).then((error) => {
    revoked = error;
    if (error !== undefined) onRevoked(error);
  });
  try {
    for (;;) {
      // Not a race against the whole watch: a promise keeps everything that ever raced against it until it settles.
      const step = await new Promise<IteratorResult<T, unknown>>((resolve, reject) => {
        onRevoked = reject;
        if (revoked !== undefined) reject(revoked);
        iterator.next().then(resolve, reject);
      });
      if (step.done === true) return;
      yield step.value;
    }
  } finally {
    over.abort(new Error('the stream is over'));
    // Not waited for: a generator that waits for its next message ends only with it.
    iterator.return?.().catch(() => undefined);
  }
}

/** Resolves with the error once `check` throws unauthorized, or with undefined when `signal` aborts. */
async function watch(check: () => Promise<unknown>, clock: Clock, signal: AbortSignal): Promise<ApiError | undefined> {
  for (;;) {
    try {
      await clock.sleep(STREAM_CHECK_MS, signal);
      await check();
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof ApiError && error.kind === 'unauthorized') return error;
    }
  }
}
