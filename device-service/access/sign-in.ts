import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import { createId } from '../../kit/ids.js';
import type { AccountDocument, AccountStore } from '../store/accounts.js';
import type { SessionStore } from '../store/sessions.js';
import { SESSIONS_MOST } from '../limits.js';
import { assertActive } from './active-account.js';
import type { Passwords } from './passwords.js';
import { sessionEnd } from './session-end.js';
import { createSessionToken, sessionDigest } from './session-token.js';
import type { Throttle } from './throttle.js';

export interface SignInParts {
  accounts: AccountStore;
  sessions: SessionStore;
  passwords: Passwords;
  throttle: Throttle;
  /** Forgets the callers that this process remembers, so that an ended session is refused at once. */
  forgetCallers: () => void;
  clock: Clock;
}

/** Opens a session; the oldest of the account ends where it has too many. An unknown e-mail and a wrong password are refused with the same text after the same time. */
export async function signIn(
  { accounts, sessions, passwords, throttle, forgetCallers, clock }: SignInParts,
  request: { email: string; password: string },
  address: string,
): Promise<{ account: AccountDocument; token: string }> {
  const email = request.email.toLowerCase();
  throttle.signIn(email, address);
  const account = await accounts.findByEmail(email);
  const isRight = await passwords.verify(account?.passwordHash, request.password);
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
  if (await sessions.endOldest(account._id, SESSIONS_MOST)) forgetCallers();
  return { account, token };
}

function wrongPassword(): ApiError {
  return new ApiError('unauthorized', 'Wrong e-mail or password.');
}
