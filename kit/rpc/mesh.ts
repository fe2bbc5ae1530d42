import { createHash, timingSafeEqual } from 'node:crypto';
import { Code, ConnectError, type Interceptor } from '@connectrpc/connect';
import { getOption, hasOption } from '@bufbuild/protobuf';
import { type Route, route, Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';

/**
 * The credential with which services call each other: a shared token. Internal rpcs (those without a `route`) require it. Without a
 * token configured they are open, and then a service may listen on loopback only (see listenRpc).
 */
const MESH_HEADER = 'x-mesh-token';

/** Returns the tokens of a credential. It has one, or two with a comma while it is replaced: the first is shown, and both are accepted. */
export function meshTokens(credential: string): string[] {
  return credential.split(',').map((token) => token.trim());
}

/** Client side: shows the credential on every call. */
export function showMeshToken(credential: string): Interceptor {
  const [token = ''] = meshTokens(credential);
  return (next) => (request) => {
    request.header.set(MESH_HEADER, token);
    return next(request);
  };
}

/** Returns whether an rpc comes from a service of ours: it shows the credential, or none is configured. */
export type IsOurs = (header: Headers) => boolean;

/** Server side: the check of the credential. */
export function meshCheck(credential: string | undefined): IsOurs {
  if (credential === undefined) return () => true;
  // An empty part, as a comma at the end of a file makes it, would let in every caller that shows an empty token.
  const accepted = meshTokens(credential)
    .filter((token) => token !== '')
    .map(digest);
  return (header) => {
    const shown = header.get(MESH_HEADER);
    if (shown === null) return false;
    const found = digest(shown);
    return accepted.some((expected) => timingSafeEqual(found, expected));
  };
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
  // This is no ApiError: between our services it is a fault of ours, for which the calling service's customer gets `internal`.
  throw new ConnectError(
    'This rpc is for services with the same MESH_TOKEN, or without it on the same DATA_DIR.',
    Code.PermissionDenied,
  );
}

type Method = Parameters<typeof routeOf>[0];

/** The traits of each method. Every call needs them, and reading them anew would decode them each time. Descriptors never change. */
const known = new WeakMap<object, Route | undefined>();

/** The traits of a public rpc; undefined for an internal one. */
export function routeOf(method: Parameters<typeof getOption>[0] & { kind: 'rpc' }): Route | undefined {
  if (known.has(method)) return known.get(method);
  const traits = hasOption(method, route) ? getOption(method, route) : undefined;
  known.set(method, traits);
  return traits;
}

/** Returns the scope that a caller needs for a public rpc. Throws for an internal rpc, as asking for its scope is a bug. */
export function scopeOf(method: Method): Scope {
  const traits = routeOf(method);
  if (traits === undefined) throw new Error(`${method.name} is internal: it has no scope`);
  return traits.scope;
}

/** Returns whether an rpc is ours and has no route. Health and reflection are neither public nor internal: they need no credential. */
export function isInternal(method: Method): boolean {
  return method.parent.typeName.startsWith('cloudphone.') && routeOf(method) === undefined;
}

/** Returns whether anybody may call an rpc: health, reflection, and the rpcs with which people sign up and in. */
export function needsNoCredential(method: Method): boolean {
  const traits = routeOf(method);
  return traits === undefined ? !isInternal(method) : traits.scope === Scope.PUBLIC;
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
