import { ApiError } from '../../../kit/errors/api-error.js';
import { createId } from '../../../kit/text/ids.js';
import type { AccountDocument } from '../../store/accounts.js';
import { MAX_SESSIONS } from '../limits.js';
import { assertActive } from '../callers/active-account.js';
import { sessionEnd } from '../callers/session-end.js';
import { createSessionToken, sessionDigest } from '../callers/session-token.js';
import type { AccountsContext } from '../accounts-context.js';

/**
 * Opens a session. Where the account has too many sessions, its oldest one ends. An unknown e-mail and a wrong password are refused with
 * the same text after the same time.
 */
export async function signIn(
  { accounts, sessions, passwords, throttle, forgetCallers, clock }: AccountsContext,
  request: { email: string; password: string },
  address: string,
): Promise<{ account: AccountDocument; token: string }> {
  const email = request.email.toLowerCase();
  throttle.signIn(email, address);
  const account = await accounts.findByEmail(email);
  const isRight = await passwords.verify(account?.passwordHash, request.password, address);
  if (account === null || !isRight) throw wrongPassword();
  throttle.signedIn(email, address);
  await assertActive(accounts, account._id);
  const token = createSessionToken();
  const now = new Date(clock.now());
  const id = createId('ses', clock.now());
  await sessions.insert({
    _id: sessionDigest(token),
    id,
    accountId: account._id,
    address,
    createdAt: now,
    usedAt: now,
    expiresAt: sessionEnd(now, now),
  });
  // If the password was changed meanwhile, that change may have ended the sessions before this one was stored.
  if ((await accounts.find(account._id))?.passwordHash !== account.passwordHash) {
    await sessions.end(account._id, id);
    throw wrongPassword();
  }
  if (await sessions.endOldest(account._id, MAX_SESSIONS)) forgetCallers();
  return { account, token };
}

function wrongPassword(): ApiError {
  return new ApiError('unauthorized', 'Wrong e-mail or password.');
}
