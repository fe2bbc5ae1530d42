import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { Owner } from '../store/deliveries.js';

/** Whose deliveries a caller sees: a key those of its own webhook, a panel session those of all the account's keys. */
export function ownerOf({ accountId, keyId, scope }: Caller): Owner {
  return scope === Scope.OWNER ? { accountId } : { accountId, keyId };
}
