import { ApiError } from '../../../kit/errors/api-error.js';
import { createId } from '../../../kit/text/ids.js';
import type { AccountDocument } from '../../store/accounts.js';
import type { PersonDocument } from '../../store/people.js';
import type { AccountsContext } from '../accounts-context.js';
import { accountDisabled } from '../callers/active-account.js';
import { mayBeIn, type SessionDocument } from '../../store/sessions.js';
import { sessionEnd } from '../callers/session-end.js';
import { createSessionToken, sessionDigest } from '../callers/session-token.js';
import { MAX_OWN_ACCOUNTS, MAX_SESSIONS } from '../limits.js';

/**
 * Opens a session of someone who has shown who they are. It is in the account that the person was last in, or in the first one that works.
 * Where the person has too many sessions, the oldest one ends. Throws unauthorized when all accounts of the person are disabled, and
 * forbidden when there is none.
 */
export async function openSession(
  context: AccountsContext,
  person: PersonDocument,
  address: string,
  /** Absent: the sign-in was by a password or a passkey. */
  vouchedBy?: SessionDocument['vouchedBy'],
): Promise<{ account: AccountDocument; token: string; id: string }> {
  const { sessions, forgetCallers, clock } = context;
  const vouched = vouchedBy === undefined ? {} : { vouchedBy };
  const account = await accountOf(context, person, vouched);
  const token = createSessionToken();
  const now = new Date(clock.now());
  const id = createId('ses', clock.now());
  await sessions.insert({
    _id: sessionDigest(token),
    id,
    accountId: account._id,
    personId: person._id,
    ...vouched,
    address,
    createdAt: now,
    usedAt: now,
    confirmedAt: now,
    expiresAt: sessionEnd(now, now),
  });
  if (await sessions.endOldest(person._id, MAX_SESSIONS)) forgetCallers();
  return { account, token, id };
}

async function accountOf(
  { accounts, members }: AccountsContext,
  { _id, lastAccountId }: PersonDocument,
  session: Pick<SessionDocument, 'vouchedBy'>,
): Promise<AccountDocument> {
  const own = await members.ofPerson(_id, MAX_OWN_ACCOUNTS);
  const ids = own.flatMap((member) => (mayBeIn(session, member) ? member.accountId : []));
  if (own.length > 0 && ids.length === 0) throw needsProvider();
  const found = new Map((await accounts.findByIds(ids)).map((account) => [account._id, account]));
  const inOrder = [lastAccountId ?? '', ...ids].flatMap((id) => (ids.includes(id) ? (found.get(id) ?? []) : []));
  const active = inOrder.find(({ disabledAt }) => disabledAt === undefined);
  if (active !== undefined) return active;
  if (inOrder.length > 0) throw accountDisabled();
  throw new ApiError(
    'forbidden',
    'You are in no account any more. Ask an owner or admin of an account for an invitation.',
  );
}

/** The refusal of an account in which the identity provider gives the role. */
export function needsProvider(): ApiError {
  return new ApiError(
    'forbidden',
    'Your identity provider gives you this account. Sign in by it: open GET /v1/session/oidc in a browser.',
  );
}
