import { hasRole } from '../../kit/rpc/caller.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { MemberRole, Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { Owner } from '../store/deliveries.js';

/**
 * Returns whose deliveries a caller sees. A key sees those of its own webhook. A panel session of an owner or admin sees those of all keys of
 * the account. One of another member sees those of the member's own keys, as others may be about devices that the member does not see.
 */
export function ownerOf({ accountId, keyId, scope, role, memberId }: Caller): Owner {
  if (scope !== Scope.PERSON) return { accountId, keyId };
  return hasRole({ role }, MemberRole.ADMIN) ? { accountId } : { accountId, memberId: memberId ?? '' };
}
