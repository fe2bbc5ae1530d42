import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { Owner } from '../store/deliveries.js';

/** Returns whose deliveries a caller sees. A key sees those of its own webhook, and a panel session those of all keys of the account. */
export function ownerOf({ accountId, keyId, scope }: Caller): Owner {
  return scope === Scope.PERSON ? { accountId } : { accountId, keyId };
}
