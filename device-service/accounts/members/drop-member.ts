import type { MemberDocument } from '../../store/members.js';
import type { AccountsContext } from '../accounts-context.js';
import { removeWithoutAccount } from '../people/remove-without-account.js';

/**
 * Removes a member whose role is still the one that was read, with the sessions of the person in the account, and the invitations that the
 * member made. Returns false when the role has changed, or the member is gone. A person that is in no other account is removed too.
 *
 * After a crash before that, the person can sign in to nothing, and a sign-up with the address removes the person (sign-up.ts).
 */
export async function dropMember(context: AccountsContext, member: MemberDocument): Promise<boolean> {
  const { accountId, personId } = member;
  if (!(await context.members.remove(member))) return false;
  await context.sessions.endInAccount(accountId, personId);
  await context.invitations.removeOfMember(accountId, member._id);
  await removeWithoutAccount(context, personId);
  return true;
}
