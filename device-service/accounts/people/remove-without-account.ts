import { accountMadeFor } from '../../store/people.js';
import type { AccountsContext } from '../accounts-context.js';

/** Removes a person that is in no account. Returns false where the person is in one. */
export async function removeWithoutAccount(
  { accounts, identities, members, people }: AccountsContext,
  personId: string,
): Promise<boolean> {
  if ((await members.ofPerson(personId, 1)).length > 0) return false;
  // The password beside the account would bring the person back (adopt-owners.ts).
  await accounts.removePassword(accountMadeFor(personId));
  await identities.removeOfPerson(personId);
  await people.remove(personId);
  return true;
}
