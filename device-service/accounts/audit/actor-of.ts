import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { MemberRole, Scope } from '../../../proto/gen/cloudphone/api/v1/route_pb.js';
import { roleWord } from '../callers/role-words.js';
import type { Noted } from './noted-account.js';

/** Returns a caller as the actor of an entry. */
export function actorOf(caller: Caller): Noted {
  const { accountId, keyId, name, memberId, groupId, sharedPhoneId } = caller;
  if (sharedPhoneId !== undefined) return { accountId, actorKind: 'share', actorId: keyId, actorName: '' };
  const role = caller.role === MemberRole.UNSPECIFIED ? {} : { role: roleWord(caller.role) };
  if (groupId !== undefined) return { accountId, actorKind: 'group', actorId: groupId, actorName: name, ...role };
  if (caller.scope !== Scope.PERSON) return { accountId, actorKind: 'key', actorId: keyId, actorName: name, ...role };
  return { accountId, actorKind: 'person', actorId: memberId ?? keyId, actorName: name, ...role };
}
