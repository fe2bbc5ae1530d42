import { ApiError, UNAUTHORIZED_MESSAGE } from '../../../kit/errors/api-error.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { MemberDocument } from '../../store/members.js';
import type { PersonDocument } from '../../store/people.js';
import type { AccountsContext } from '../accounts-context.js';

/** A signed-in person, and the member of the account that the session is in. */
export interface Self {
  member: MemberDocument;
  person: PersonDocument;
}

/** Returns the person of the caller; undefined for a key, and for someone who was removed from the account just now. */
export async function selfOf(
  { members, people }: AccountsContext,
  { accountId, memberId, scope }: Caller,
): Promise<Self | undefined> {
  if (scope !== Scope.PERSON || memberId === undefined) return undefined;
  const member = await members.find(accountId, memberId);
  const person = member === null ? null : await people.find(member.personId);
  return member === null || person === null ? undefined : { member, person };
}

/** Returns the person of the caller. Throws unauthorized where selfOf returns undefined. */
export async function requireSelf(context: AccountsContext, caller: Caller): Promise<Self> {
  const self = await selfOf(context, caller);
  if (self === undefined) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
  return self;
}
