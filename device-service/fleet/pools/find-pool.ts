import { ApiError } from '../../../kit/errors/api-error.js';
import { hasMade, seesAll } from '../../../kit/rpc/may-see.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { PoolDocument } from '../../store/pools.js';
import type { FleetContext } from '../fleet-context.js';

/** Returns a pool that the caller may use: its maker may, and keys of all devices. Throws not_found, and forbidden for another key's. */
export async function findUsablePool(
  { pools }: Pick<FleetContext, 'pools'>,
  caller: Caller,
  name: string,
): Promise<PoolDocument> {
  const pool = await pools.findByName(caller.accountId, name);
  if (pool === null) throw noSuchPool(name);
  if (!mayUse(caller, pool)) {
    const message = `This key may not use the pool "${name}": it is not for all devices, and another key made the pool.`;
    throw new ApiError('forbidden', message);
  }
  return pool;
}

export function mayUse(caller: Caller, { createdBy }: PoolDocument): boolean {
  return seesAll(caller) || hasMade(caller, createdBy);
}

/** Throws bad_request where the phones of the pool have no state to go back to. */
export function assertHasState({ name, description }: PoolDocument): void {
  if (description.template !== undefined) return;
  throw new ApiError(
    'bad_request',
    `at_end: the phones of "${name}" are made from a model, so they have no state to go back to. Use delete, or a pool with a template.`,
  );
}

export function noSuchPool(name: string): ApiError {
  return new ApiError(
    'not_found',
    `There is no pool "${name.slice(0, 40)}". GET /v1/pools lists those that there are.`,
  );
}
