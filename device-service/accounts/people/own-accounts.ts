import { create } from '@bufbuild/protobuf';
import { ApiError } from '../../../kit/errors/api-error.js';
import { type OwnAccount, OwnAccountSchema } from '../../../proto/gen/cloudphone/access/v1/member_pb.js';
import type { AccountsContext } from '../accounts-context.js';
import { assertActive } from '../callers/active-account.js';
import { MAX_OWN_ACCOUNTS } from '../limits.js';
import { mayBeIn, type SessionDocument } from '../../store/sessions.js';
import { needsProvider } from './open-session.js';
import { roleOf } from '../callers/role-words.js';

/**
 * Returns the accounts of a person in which the session may be, those that the person joined first before. `currentId` is the account of the
 * session.
 */
export async function listOwnAccounts(
  context: AccountsContext,
  personId: string,
  sessionId: string,
  currentId: string,
): Promise<OwnAccount[]> {
  const { accounts, members } = context;
  const session = await sessionOf(context, personId, sessionId);
  const own = (await members.ofPerson(personId, MAX_OWN_ACCOUNTS)).filter((member) => mayBeIn(session, member));
  const found = await accounts.findByIds(own.map(({ accountId }) => accountId));
  const byId = new Map(found.map((account) => [account._id, account]));
  return own.flatMap(({ accountId, role }) => {
    const account = byId.get(accountId);
    if (account === undefined || account.disabledAt !== undefined) return [];
    const { email } = account;
    return [create(OwnAccountSchema, { id: accountId, email, role: roleOf(role), current: accountId === currentId })];
  });
}

/** Puts a session of a person into another account of the person, where the next sign-in begins too. */
export async function switchAccount(
  context: AccountsContext,
  personId: string,
  sessionId: string,
  accountId: string,
): Promise<void> {
  const { accounts, members, people, sessions, forgetCallers } = context;
  const member = await members.findPerson(accountId, personId);
  if (member === null) {
    throw new ApiError('not_found', `You are in no account "${accountId}". GET /v1/accounts lists yours.`);
  }
  if (!mayBeIn(await sessionOf(context, personId, sessionId), member)) throw needsProvider();
  await assertActive(accounts, accountId);
  if (!(await sessions.setAccount(personId, sessionId, accountId))) throw sessionEnded();
  await people.setLastAccount(personId, accountId);
  forgetCallers();
}

async function sessionOf(
  { sessions, clock }: AccountsContext,
  personId: string,
  sessionId: string,
): Promise<SessionDocument> {
  const [session] = await sessions.findGood([sessionId], new Date(clock.now()));
  if (session === undefined || (session.personId ?? personId) !== personId) throw sessionEnded();
  return session;
}

function sessionEnded(): ApiError {
  return new ApiError('unauthorized', 'This session has ended. Sign in again.');
}
