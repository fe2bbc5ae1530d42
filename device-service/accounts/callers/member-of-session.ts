import { adoptOwner } from '../../store/adopt-owners.js';
import type { MemberDocument } from '../../store/members.js';
import { ownerIdOf, type PersonDocument } from '../../store/people.js';
import { mayBeIn, type SessionDocument } from '../../store/sessions.js';
import type { Stores } from '../../store/stores.js';

/**
 * Returns the person of a session, and the member of the account that the session is in. Undefined: the person was removed from it, or
 * may be in it only by the identity provider.
 *
 * A process of the release before makes accounts without a person, and sessions that name none. The person is then made here.
 */
export async function memberOfSession(
  stores: Pick<Stores, 'accounts' | 'members' | 'people'>,
  session: Pick<SessionDocument, 'accountId' | 'personId' | 'vouchedBy'>,
): Promise<{ member: MemberDocument; person: PersonDocument } | undefined> {
  const { accountId, personId } = session;
  const id = personId ?? ownerIdOf(accountId);
  const read = async () => {
    const [member, person] = await Promise.all([stores.members.findPerson(accountId, id), stores.people.find(id)]);
    return member === null || person === null || !mayBeIn(session, member) ? undefined : { member, person };
  };
  const found = await read();
  if (found !== undefined || personId !== undefined) return found;
  const account = await stores.accounts.find(accountId);
  // Someone who was removed from an account that has its owners is not brought back.
  if (account === null || (account.owners ?? []).length > 0) return undefined;
  await adoptOwner(stores, account);
  return read();
}
