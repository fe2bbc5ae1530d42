import { create } from '@bufbuild/protobuf';
import { ApiError } from '../../../kit/errors/api-error.js';
import { type OwnAccount, OwnAccountSchema } from '../../../proto/gen/cloudphone/access/v1/member_pb.js';
import type { AccountsContext } from '../accounts-context.js';
import { assertActive } from '../callers/active-account.js';
import { MAX_OWN_ACCOUNTS } from '../limits.js';
import { roleOf } from '../callers/role-words.js';

/** Returns the accounts of a person, those that the person joined first before. `currentId` is the account of the session. */
export async function listOwnAccounts(
  { accounts, members }: AccountsContext,
  personId: string,
  currentId: string,
): Promise<OwnAccount[]> {
  const own = await members.ofPerson(personId, MAX_OWN_ACCOUNTS);
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
  { accounts, members, people, sessions, forgetCallers }: AccountsContext,
  personId: string,
  sessionId: string,
  accountId: string,
): Promise<void> {
  if ((await members.findPerson(accountId, personId)) === null) {
    throw new ApiError('not_found', `You are in no account "${accountId}". GET /v1/accounts lists yours.`);
  }
  await assertActive(accounts, accountId);
  if (!(await sessions.setAccount(personId, sessionId, accountId)))
    throw new ApiError('unauthorized', 'This session has ended. Sign in again.');
  await people.setLastAccount(personId, accountId);
  forgetCallers();
}
