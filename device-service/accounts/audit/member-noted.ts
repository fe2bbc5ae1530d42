import { findPerson } from '../people/find-person.js';
import type { AccountsContext } from '../accounts-context.js';
import { sessionDigest } from '../callers/session-token.js';
import { MAX_OWN_ACCOUNTS } from '../limits.js';
import type { Noted } from './noted-account.js';

/**
 * Returns a person as the member of the account that a sign-in goes to: the one that the person was last in, or the first one. Undefined:
 * nobody has this e-mail, or the person is in no account.
 */
export async function memberNoted(context: AccountsContext, email: string): Promise<Noted | undefined> {
  const person = await findPerson(context, email.toLowerCase());
  if (person === null) return undefined;
  const members = await context.members.ofPerson(person._id, MAX_OWN_ACCOUNTS);
  const member = members.find(({ accountId }) => accountId === person.lastAccountId) ?? members[0];
  if (member === undefined) return undefined;
  const { accountId, _id: actorId, role } = member;
  return { accountId, actorKind: 'person', actorId, actorName: person.email, role };
}

/** Returns the person of a session that was opened just now, by its token. */
export async function sessionNoted(context: AccountsContext, token: string): Promise<Noted | undefined> {
  const session = await context.sessions.find(sessionDigest(token));
  const person = session?.personId === undefined ? null : await context.people.find(session.personId);
  return person === null ? undefined : memberNoted(context, person.email);
}
