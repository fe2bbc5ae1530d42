import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import { createId } from '../../kit/ids.js';
import type { AccountDocument, AccountStore } from '../store/accounts.js';
import type { Passwords } from './passwords.js';

export interface SignUpParts {
  accounts: AccountStore;
  passwords: Passwords;
  clock: Clock;
}

/** Makes an account without a balance and with its trial unused. Throws bad_request when the e-mail is taken. */
export async function createAccount(
  { accounts, passwords, clock }: SignUpParts,
  request: { email: string; password: string },
): Promise<AccountDocument> {
  const account: AccountDocument = {
    _id: createId('acc', clock.now()),
    email: request.email.toLowerCase(),
    passwordHash: await passwords.hash(request.password),
    createdAt: new Date(clock.now()),
    trial: { state: 'unused' },
  };
  if (await accounts.insert(account)) return account;
  throw new ApiError('bad_request', `email: "${account.email}" has an account already. Sign in with POST /v1/session.`);
}
