import { ApiError } from '../../../kit/errors/api-error.js';
import { createId } from '../../../kit/text/ids.js';
import type { AccountDocument } from '../../store/accounts.js';
import { adoptOwner } from '../../store/adopt-owners.js';
import type { AccountsContext } from '../accounts-context.js';
import { removeWithoutAccount } from './remove-without-account.js';
import { findPerson } from './find-person.js';

/**
 * Makes an account without a balance and with its trial unused, and its owner. Throws bad_request when the e-mail is taken.
 *
 * After a crash between the account and its owner, the owner is made when the person signs in (find-person.ts).
 */
export async function createAccount(
  context: AccountsContext,
  request: { email: string; password: string },
  /** Absent: the account is made by the operator's command. */
  address?: string,
): Promise<AccountDocument> {
  const { accounts, passwords, clock } = context;
  const account: AccountDocument = {
    _id: createId('acc', clock.now()),
    email: request.email.toLowerCase(),
    passwordHash: await passwords.hash(request.password, address),
    createdAt: new Date(clock.now()),
    trial: { state: 'unused' },
  };
  // Someone who is only a member of other accounts has the address too, without an account made with it.
  const known = await findPerson(context, account.email);
  if (known !== null && !(await removeWithoutAccount(context, known._id))) throw taken(account);
  if (!(await accounts.insert(account))) throw taken(account);
  if ((await adoptOwner(context, account)) !== null) return account;
  await accounts.removeNew(account._id);
  throw taken(account);
}

function taken({ email }: AccountDocument): ApiError {
  return new ApiError('bad_request', `email: "${email}" has an account already. Sign in with POST /v1/session.`);
}
