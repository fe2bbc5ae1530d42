import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { ApiError } from '../errors/api-error.js';
import { type AllowList, parseAllowList } from '../net/allow-list.js';

/** The lists of callers. Callers are remembered for seconds, so a list is read once for many requests. */
const lists = new WeakMap<Caller, AllowList>();

/**
 * Throws forbidden for a key that does not work from the address. The edge and every service call it with the address of the client.
 *
 * The address is the one under which requests are counted: of IPv6 the first 64 bits, as one customer has them. A key that has a list is
 * refused where no address is known.
 */
export function assertWorksFrom(caller: Caller, address: string | undefined): void {
  if (worksFrom(caller, address)) return;
  throw new ApiError(
    'forbidden',
    `This key may not be used from ${address ?? 'an unknown address'}. Add the address to the key: PATCH /v1/keys/{id} {"allow": [..]}.`,
  );
}

/** Returns whether the key works from the address. */
export function worksFrom(caller: Caller, address: string | undefined): boolean {
  if (caller.allow.length === 0) return true;
  let list = lists.get(caller);
  if (list === undefined) lists.set(caller, (list = parseAllowList(caller.allow)));
  return address !== undefined && list.allowsCaller(address);
}
