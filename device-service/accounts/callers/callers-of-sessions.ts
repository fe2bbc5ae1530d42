import { create } from '@bufbuild/protobuf';
import { type Caller, CallerSchema } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { MemberDocument } from '../../store/members.js';
import type { PersonDocument } from '../../store/people.js';
import type { SessionDocument } from '../../store/sessions.js';
import type { Stores } from '../../store/stores.js';
import { roleOf } from './role-words.js';
import { visibleTo } from './callers-of-keys.js';
import { memberOfSession } from './member-of-session.js';
import { secondFactorOf } from './second-factor-of.js';

/**
 * Returns sessions as callers, by their ids, with what they have shown of second factors. A session whose person was removed from its account
 * is left out.
 */
export async function callersOfSessions(
  stores: Pick<Stores, 'accounts' | 'members' | 'people'>,
  sessions: readonly SessionDocument[],
): Promise<Map<string, Caller>> {
  const found = await Promise.all(
    sessions.map(async (session) => {
      const known = await memberOfSession(stores, session);
      if (known === undefined) return [];
      const caller = callerOfMember(known.member, known.person, session.id);
      Object.assign(caller, await secondFactorOf(stores.accounts, session, known.person));
      return [[session.id, caller] as const];
    }),
  );
  return new Map(found.flat());
}

/** Returns a member of an account as a caller; undefined where the person is not in it any more. */
export async function callerOfMemberId(
  { members, people }: Pick<Stores, 'members' | 'people'>,
  accountId: string,
  memberId: string,
  sessionId: string,
): Promise<Caller | undefined> {
  const member = await members.find(accountId, memberId);
  const person = member === null ? null : await people.find(member.personId);
  return member === null || person === null ? undefined : callerOfMember(member, person, sessionId);
}

/** Returns a member as a caller, with the id of the session in which the person acts or acted. */
export function callerOfMember(member: MemberDocument, person: PersonDocument, sessionId: string): Caller {
  return create(CallerSchema, {
    accountId: member.accountId,
    keyId: sessionId,
    scope: Scope.PERSON,
    role: roleOf(member.role),
    memberId: member._id,
    name: person.email,
    ...visibleTo(member),
  });
}
