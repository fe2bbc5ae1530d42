import type { AccountDocument, AccountStore } from './accounts.js';
import type { MemberStore } from './members.js';
import { ownerIdOf, type PersonDocument, type PersonStore } from './people.js';

/** The stores that an account's first person is written to. */
export interface OwnerStores {
  accounts: AccountStore;
  members: MemberStore;
  people: PersonStore;
}

const PAGE = 200;

/** Gives each account the person that it was made for, as its owner. Safe to repeat. */
export async function adoptOwners(stores: OwnerStores): Promise<void> {
  let after: string | undefined;
  for (;;) {
    const page = await stores.accounts.list(PAGE, after);
    for (const account of page) await adoptOwner(stores, account);
    after = page.at(-1)?._id;
    if (page.length < PAGE) return;
  }
}

/**
 * Makes the person that an account was made for, and the member that is its first owner. Returns the person; null when someone else has
 * the account's e-mail. The ids follow from that of the account, so a second call after a crash anywhere goes on, and two calls at a time
 * make one person.
 *
 * The person comes last: whoever is found by an e-mail is in the account, and the account has an owner.
 */
export async function adoptOwner(
  { accounts, members, people }: OwnerStores,
  { _id: accountId, email, passwordHash, createdAt }: AccountDocument,
): Promise<PersonDocument | null> {
  const id = ownerIdOf(accountId);
  const known = await people.find(id);
  if (known === null && passwordHash === undefined) return null;
  const member = { _id: accountId.replace(/^acc_/, 'mem_'), role: 'owner' as const };
  await members.insert({ ...member, accountId, personId: id, devices: ['*'], createdAt });
  await accounts.addOwner(accountId, member._id);
  if (known !== null || passwordHash === undefined) return known;
  await people.insert({ _id: id, email, passwordHash, createdAt });
  const person = await people.find(id);
  if (person !== null) return person;
  await members.remove(member);
  await accounts.forgetOwner(accountId, member._id);
  return null;
}
