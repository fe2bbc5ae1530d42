import { createId } from '../../../kit/text/ids.js';
import type { MemberDocument, RoleWord } from '../../store/members.js';
import type { AccountsContext } from '../accounts-context.js';
import { MAX_MEMBERS, MAX_OWN_ACCOUNTS } from '../limits.js';
import { dropMember } from '../members/drop-member.js';

/**
 * Brings the memberships of a person to what the groups give. Memberships that people made stay as they are. New ones come first, so that a
 * person who changes accounts is never in none. The last owner of an account stays.
 */
export async function applyGroups(
  context: AccountsContext,
  personId: string,
  wanted: ReadonlyMap<string, RoleWord>,
): Promise<void> {
  const own = await context.members.ofPerson(personId, MAX_OWN_ACCOUNTS);
  for (const [accountId, role] of wanted) {
    const member = own.find((one) => one.accountId === accountId);
    if (member === undefined) await join(context, personId, accountId, role);
    else if (member.by === 'oidc' && member.role !== role) await changeRole(context, member, role);
  }
  for (const member of own) {
    if (member.by === 'oidc' && !wanted.has(member.accountId)) await leave(context, member);
  }
}

async function join(context: AccountsContext, personId: string, accountId: string, role: RoleWord): Promise<void> {
  const { accounts, members, clock, forgetCallers, log } = context;
  const isFull = (await members.list(accountId, MAX_MEMBERS)).length >= MAX_MEMBERS;
  if (isFull || (await members.ofPerson(personId, MAX_OWN_ACCOUNTS)).length >= MAX_OWN_ACCOUNTS) {
    log.warn({ account: accountId, person: personId }, 'a group gives a role in an account that has no more room');
    return;
  }
  const member: MemberDocument = {
    _id: createId('mem', clock.now()),
    accountId,
    personId,
    role,
    devices: ['*'],
    by: 'oidc',
    createdAt: new Date(clock.now()),
  };
  if ((await members.insert(member)) && role === 'owner') await accounts.addOwner(accountId, member._id);
  forgetCallers();
}

async function changeRole(context: AccountsContext, member: MemberDocument, role: RoleWord): Promise<void> {
  const { accounts, members, forgetCallers } = context;
  if (!(await releaseOwner(context, member))) return;
  const seesAll = role === 'admin' || role === 'owner';
  const changed = await members.change(member, { role, ...(seesAll && { devices: ['*'] }) });
  if (changed !== null && role === 'owner') await accounts.addOwner(member.accountId, member._id);
  forgetCallers();
}

/** The keys come first, so that none is left after a crash. They are revoked again, as one may have been made in between. */
async function leave(context: AccountsContext, member: MemberDocument): Promise<void> {
  const { keys, clock, forgetCallers } = context;
  if (!(await releaseOwner(context, member))) return;
  await keys.revokeOfMember(member._id, new Date(clock.now()));
  await dropMember(context, member);
  await keys.revokeOfMember(member._id, new Date(clock.now()));
  forgetCallers();
}

/** Removes the member from the account's owners. Returns false where it is the last, which stays. */
async function releaseOwner(
  { accounts, log }: AccountsContext,
  { _id, accountId, role }: MemberDocument,
): Promise<boolean> {
  if (role !== 'owner' || (await accounts.removeOwner(accountId, _id))) return true;
  log.warn({ account: accountId, member: _id }, 'the last owner of an account stays, although no group gives the role');
  return false;
}
