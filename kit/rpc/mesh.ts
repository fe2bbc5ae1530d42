import { createHash, timingSafeEqual } from 'node:crypto';
import { Code, ConnectError, type Interceptor } from '@connectrpc/connect';
import { getOption, hasOption } from '@bufbuild/protobuf';
import { type Route, route, Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';

/**
 * The credential with which services call each other: a shared token. Internal rpcs (those without a `route`) require it. Without a
 * token configured they are open, and then a service may listen on loopback only (see listenRpc).
 */
const MESH_HEADER = 'x-mesh-token';

/** Client side: shows the credential on every call. */
export function showMeshToken(token: string): Interceptor {
  return (next) => (request) => {
    request.header.set(MESH_HEADER, token);
    return next(request);
  };
}

/** Returns whether an rpc comes from a service of ours: it shows the credential, or none is configured. */
export type IsOurs = (header: Headers) => boolean;

/** Server side: the check of the credential. */
export function meshCheck(token: string | undefined): IsOurs {
  if (token === undefined) return () => true;
  const expected = digest(token);
  return (header) => timingSafeEqual(digest(header.get(MESH_HEADER) ?? ''), expected);
}

/** Server side: refuses internal rpcs without the credential. */
export function requireMesh(isOurs: IsOurs): Interceptor {
  return (next) => (request) => {
    assertOurs(request.method, request.header, isOurs);
    return next(request);
  };
}

/** Throws permission_denied for an internal rpc without the credential. */
export function assertOurs(method: Method, header: Headers, isOurs: IsOurs): void {
  if (!isInternal(method) || isOurs(header)) return;
  // No ApiError: between our services this is a fault of ours, and the customer of the other end gets `internal` for it.
  throw new ConnectError('This rpc is for services with the same MESH_TOKEN.', Code.PermissionDenied);
}

type Method = Parameters<typeof routeOf>[0];

/** Traits by method: reading an option decodes it each time, and every call needs it. Descriptors never change. */
const known = new WeakMap<object, Route | undefined>();

/** The traits of a public rpc; undefined for an internal one. */
export function routeOf(method: Parameters<typeof getOption>[0] & { kind: 'rpc' }): Route | undefined {
  if (known.has(method)) return known.get(method);
  const traits = hasOption(method, route) ? getOption(method, route) : undefined;
  known.set(method, traits);
  return traits;
}

/** The scope that a caller needs for a public rpc. An internal one has none: that is a bug. */
export function scopeOf(method: Method): Scope {
  const traits = routeOf(method);
  if (traits === undefined) throw new Error(`${method.name} is internal: it has no scope`);
  return traits.scope;
}

/** Ours and without a route. Health and reflection are neither public nor internal: they need no credential. */
export function isInternal(method: Method): boolean {
  return method.parent.typeName.startsWith('cloudphone.') && routeOf(method) === undefined;
}

/** Whether anybody may call it: health, reflection, and the rpcs with which people sign up and in. */
export function needsNoCredential(method: Method): boolean {
  const traits = routeOf(method);
  return traits === undefined ? !isInternal(method) : traits.scope === Scope.PUBLIC;
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
