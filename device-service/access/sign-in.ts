import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import { createId } from '../../kit/ids.js';
import type { AccountDocument, AccountStore } from '../store/accounts.js';
import type { SessionStore } from '../store/sessions.js';
import type { Passwords } from './passwords.js';
import { createSessionToken, sessionDigest } from './session-token.js';
import type { Throttle } from './throttle.js';

export interface SignInParts {
  accounts: AccountStore;
  sessions: SessionStore;
  passwords: Passwords;
  throttle: Throttle;
  clock: Clock;
}

/** A session ends when it has not been used for so long, seconds: 30 days. */
export const SESSION_IDLE_S = 30 * 86_400;

/** Opens a session. An unknown e-mail and a wrong password are refused with the same text after the same time. */
export async function signIn(
  { accounts, sessions, passwords, throttle, clock }: SignInParts,
  request: { email: string; password: string },
  address: string,
): Promise<{ account: AccountDocument; token: string }> {
  const email = request.email.toLowerCase();
  throttle.signIn(email, address);
  const account = await accounts.findByEmail(email);
  const isRight = await passwords.verify(account?.passwordHash, request.password);
  if (account === null || !isRight) throw new ApiError('unauthorized', 'Wrong e-mail or password.');
  throttle.signedIn(email, address);
  const token = createSessionToken();
  const now = new Date(clock.now());
  await sessions.insert({
    _id: sessionDigest(token),
    id: createId('ses', clock.now()),
    accountId: account._id,
    createdAt: now,
    usedAt: now,
    expiresAt: new Date(clock.now() + SESSION_IDLE_S * 1000),
  });
  return { account, token };
}
