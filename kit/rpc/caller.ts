import type { Interceptor } from '@connectrpc/connect';
import type { Clock } from '../async/clock.js';
import { type Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { MemberRole, MemberRoleSchema, type Route, Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../errors/api-error.js';
import { wordOf } from '../text/wire-words.js';
import { callOf } from './context.js';
import { isInternal, routeOf } from './mesh.js';
import { assertConfirmed, assertSecondFactor } from './step-up.js';
import { whileAllowed } from './while-allowed.js';
import { assertWorksFrom } from './works-from.js';

/**
 * Turns the value of an Authorization header into a caller; throws unauthorized. The address is that of the client, to note the use of a key.
 */
export type Authenticate = (authorization: string, address?: string) => Promise<Caller>;

/**
 * Server side: authenticates the caller, and checks that its scope and role include what the route needs. A service that calls an internal rpc for
 * a caller passes on the caller's header. A service that calls it for itself sends none.
 *
 * A stream or upload ends soon after the key of its caller was revoked or has expired. It also ends once the caller's role no longer
 * includes the route, or its session is in another account. Meanwhile `call.caller` is the caller as it was at the last check.
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
    const identify = async (): Promise<Caller> => {
      const found = await authenticate(authorization, call.clientAddress);
      assertWorksFrom(found, call.clientAddress);
      return found;
    };
    const caller = await identify();
    // Refused calls have a caller too: the audit log names it.
    call.caller = caller;
    if (traits !== undefined) {
      assertShares(caller, traits);
      assertAllowed(caller, traits);
      assertConfirmed(caller, traits, clock.now());
    }
    const check = async (): Promise<void> => {
      const now = await identify();
      assertSameAccount(caller, now);
      call.caller = now;
      if (traits === undefined) return;
      assertShares(now, traits);
      assertAllowed(now, traits);
    };
    // The only response of an upload comes when all is received, so the messages of the caller are checked.
    if (request.stream && request.method.methodKind === 'client_streaming')
      return next({ ...request, message: whileAllowed(request.message, check, clock, call.signal) });
    const response = await next(request);
    if (!response.stream) return response;
    return { ...response, message: whileAllowed(response.message, check, clock, call.signal) };
  };
}

/**
 * Throws the error of a wrong key when the caller uses a share and the route is not open to shares. The edge and every service call it. It
 * is not called for internal rpcs: their handlers check shares themselves (LocatePhone).
 */
export function assertShares(caller: Caller, { shares }: { shares: boolean }): void {
  if (caller.sharedPhoneId !== undefined && !shares) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
}

/** Throws unauthorized where a session is in another account than when its stream opened: the stream is about the first one. */
export function assertSameAccount(opened: Pick<Caller, 'accountId'>, now: Pick<Caller, 'accountId'>): void {
  if (opened.accountId !== now.accountId)
    throw new ApiError('unauthorized', 'Your session is in another account now. Open the stream again.');
}

/** Throws forbidden unless the caller's scope and role include what the route needs. Used by the edge and by every service. */
export function assertAllowed(caller: Caller, traits: Pick<Route, 'scope' | 'role' | 'withoutSecondFactor'>): void {
  const { scope } = traits;
  if (scope === Scope.UNSPECIFIED || caller.scope < scope) {
    if (caller.sharedPhoneId !== undefined) throw new ApiError('forbidden', 'This link is for watching only.');
    throw new ApiError(
      'forbidden',
      scope === Scope.PERSON
        ? 'API keys cannot do this. Sign in to the control panel.'
        : 'This key is read-only. Use a key with scope control.',
    );
  }
  assertSecondFactor(caller, traits);
  // A share has the rights of its access alone.
  if (caller.sharedPhoneId === undefined) assertRole(caller, roleNeeded(traits));
}

/** Throws forbidden unless the caller has the role in its account. */
export function assertRole(caller: Caller, needed: MemberRole): void {
  if (hasRole(caller, needed)) return;
  const [has, needs] = [wordOf(MemberRoleSchema, caller.role), wordOf(MemberRoleSchema, needed)];
  throw new ApiError(
    'forbidden',
    caller.scope === Scope.PERSON
      ? `Your role in this account is ${has}, and this needs ${needs}. Ask an owner or admin of the account.`
      : `The member who made this key has the role ${has}, and this needs ${needs}. Ask an owner or admin of the account.`,
  );
}

/** Returns whether the caller has a role in its account, or one that includes it. A process of the release before knows no roles. */
export function hasRole({ role }: Pick<Caller, 'role'>, needed: MemberRole): boolean {
  return role === MemberRole.UNSPECIFIED || role >= needed;
}

/** Returns whether the caller may change the devices that it sees. */
export function mayControl(caller: Pick<Caller, 'scope' | 'role'>): boolean {
  return caller.scope >= Scope.CONTROL && hasRole(caller, MemberRole.OPERATOR);
}

/**
 * Returns the least role that may call a route: the one of the route, or that of its scope. Throws for a route of people without a role, as
 * the service must not start with it.
 */
export function roleNeeded({ scope, role }: Pick<Route, 'scope' | 'role'>): MemberRole {
  if (role !== MemberRole.UNSPECIFIED) return role;
  if (scope === Scope.PERSON) throw new Error('its route option has scope person and no role');
  return scope === Scope.CONTROL ? MemberRole.OPERATOR : MemberRole.VIEWER;
}
