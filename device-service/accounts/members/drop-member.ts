import type { MemberDocument } from '../../store/members.js';
import { accountMadeFor } from '../../store/people.js';
import type { AccountsContext } from '../accounts-context.js';

/**
 * Removes a member whose role is still the one that was read, with the sessions of the person in the account. Returns false when the role has
 * changed, or the member is gone. A person that is in no other account is removed too.
 *
 * After a crash before that, the person can sign in to nothing, and a sign-up with the address removes the person (sign-up.ts).
 */
export async function dropMember(context: AccountsContext, member: MemberDocument): Promise<boolean> {
  const { accountId, personId } = member;
  if (!(await context.members.remove(member))) return false;
  await context.sessions.endInAccount(accountId, personId);
  await removeWithoutAccount(context, personId);
  return true;
}

/** Removes a person that is in no account. Returns false where the person is in one. */
export async function removeWithoutAccount(
  { accounts, members, people }: AccountsContext,
  personId: string,
): Promise<boolean> {
  if ((await members.ofPerson(personId, 1)).length > 0) return false;
  // The password beside the account would bring the person back (adopt-owners.ts).
  await accounts.removePassword(accountMadeFor(personId));
  await people.remove(personId);
  return true;
}
