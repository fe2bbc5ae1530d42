import { adoptOwner } from '../../store/adopt-owners.js';
import type { MemberDocument } from '../../store/members.js';
import { ownerIdOf, type PersonDocument } from '../../store/people.js';
import type { SessionDocument } from '../../store/sessions.js';
import type { Stores } from '../../store/stores.js';

/**
 * Returns the person of a session, and the member of the account that the session is in. Undefined: the person was removed from it.
 *
 * A process of the release before makes accounts without a person, and sessions that name none. The person is then made here.
 */
export async function memberOfSession(
  stores: Pick<Stores, 'accounts' | 'members' | 'people'>,
  { accountId, personId }: Pick<SessionDocument, 'accountId' | 'personId'>,
): Promise<{ member: MemberDocument; person: PersonDocument } | undefined> {
  const id = personId ?? ownerIdOf(accountId);
  const read = async () => {
    const [member, person] = await Promise.all([stores.members.findPerson(accountId, id), stores.people.find(id)]);
    return member === null || person === null ? undefined : { member, person };
  };
  const found = await read();
  if (found !== undefined || personId !== undefined) return found;
  const account = await stores.accounts.find(accountId);
  if (account === null) return undefined;
  await adoptOwner(stores, account);
  return read();
}
