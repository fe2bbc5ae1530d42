import { ApiError } from '../../../kit/errors/api-error.js';
import { createId } from '../../../kit/text/ids.js';
import type { AccountDocument } from '../../store/accounts.js';
import type { AccountsContext } from '../accounts-context.js';

/** Makes an account without a balance and with its trial unused. Throws bad_request when the e-mail is taken. */
export async function createAccount(
  { accounts, passwords, clock }: AccountsContext,
  request: { email: string; password: string },
  /** Absent: the account is made by the operator's command. */
  address?: string,
): Promise<AccountDocument> {
  const account: AccountDocument = {
    _id: createId('acc', clock.now()),
    email: request.email.toLowerCase(),
    passwordHash: await passwords.hash(request.password, address),
    createdAt: new Date(clock.now()),
    trial: { state: 'unused' },
  };
  if (await accounts.insert(account)) return account;
  throw new ApiError('bad_request', `email: "${account.email}" has an account already. Sign in with POST /v1/session.`);
}
