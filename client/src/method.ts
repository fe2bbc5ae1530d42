import type { FetchResponse, MaybeOptionalInit } from 'openapi-fetch';
import type { HttpMethod, PathsWithMethod, RequiredKeysOf } from 'openapi-typescript-helpers';
import type { paths } from './openapi.js';

type Json = 'application/json';

/**
 * The content of a successful response. Failed responses have no `data` to offer, so they are left out. This holds in programs without
 * exactOptionalPropertyTypes too.
 */
type Data<Operation extends Record<string | number, unknown>, Init> = Extract<
  FetchResponse<Operation, Init, Json>,
  { data: unknown }
>['data'];

type Init<I> = RequiredKeysOf<I> extends never ? [init?: I] : [init: I];

/**
 * One HTTP method of the API: `get('/v1/devices/{name}', { params: { path: { name: 'demo' } } })`. Paths, parameters and bodies are those
 * of the reference, and are checked when compiling. Returns the response's body; throws a CloudPhoneError.
 */
export type Method<M extends HttpMethod> = <
  P extends PathsWithMethod<paths, M>,
  I extends MaybeOptionalInit<paths[P], M>,
>(
  path: P,
  ...init: Init<I>
) => Promise<Data<paths[P][M] & Record<string | number, unknown>, I>>;

/** Returns openapi-fetch's method without its envelope. A response that is not successful has been thrown as an error before. */
export function unwrapped<M extends HttpMethod>(method: unknown): Method<M> {
  const call = method as (path: string, init?: unknown) => Promise<{ data?: unknown }>;
  const bare = async (path: string, init?: unknown): Promise<unknown> => (await call(path, init)).data;
  return bare as unknown as Method<M>;
}
