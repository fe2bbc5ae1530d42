import { adoptOwner } from '../../store/adopt-owners.js';
import type { PersonDocument } from '../../store/people.js';
import type { Stores } from '../../store/stores.js';

/** Returns the person of an e-mail address. An account that a process of the release before made gets its person here. */
export async function findPerson(
  stores: Pick<Stores, 'accounts' | 'members' | 'people'>,
  email: string,
): Promise<PersonDocument | null> {
  const person = await stores.people.findByEmail(email);
  if (person !== null) return person;
  const account = await stores.accounts.findByEmail(email);
  return account === null ? null : adoptOwner(stores, account);
}
