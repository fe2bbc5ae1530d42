import { ApiError } from '../../../kit/errors/api-error.js';
import type { AccountDocument } from '../../store/accounts.js';
import type { AccountsContext } from '../accounts-context.js';

/** Changes a password for a caller that knows the present one. All sessions of the account except `sessionId` end. */
export async function changePassword(
  context: AccountsContext,
  caller: { accountId: string; sessionId: string; address: string },
  request: { password: string; newPassword: string },
): Promise<void> {
  const { accounts, passwords, throttle } = context;
  const account = await accounts.find(caller.accountId);
  if (account === null) throw new Error(`a caller of account ${caller.accountId}, which does not exist`);
  // Wrong passwords in a session that was left open count like those at sign-in.
  throttle.signIn(account.email, caller.address);
  const isRight = await passwords.verify(account.passwordHash, request.password, caller.address);
  if (!isRight) throw new ApiError('bad_request', 'password: this is not the present password of the account.');
  throttle.signedIn(account.email, caller.address);
  await replacePassword(context, account, request.newPassword, caller);
}

/** Gives an account a new password without the old one, for the operator. All its sessions end. */
export function resetPassword(context: AccountsContext, account: AccountDocument, password: string): Promise<void> {
  return replacePassword(context, account, password);
}

async function replacePassword(
  { accounts, sessions, passwords, forgetCallers, onPassword }: AccountsContext,
  { _id, email, passwordHash }: AccountDocument,
  password: string,
  caller?: { sessionId: string; address: string },
): Promise<void> {
  const keptSession = caller?.sessionId;
  const hash = await passwords.hash(password, caller?.address);
  // Sessions are ended before the change, so that a crash after it leaves none of them. They are ended again after it, because one may
  // have been opened with the old password meanwhile.
  await sessions.endAll(_id, keptSession);
  if (!(await accounts.setPassword(_id, hash, passwordHash))) {
    throw new ApiError('busy', 'The password was changed by another request just now. Try again with the new one.');
  }
  await sessions.endAll(_id, keptSession);
  forgetCallers();
  onPassword(email);
}
