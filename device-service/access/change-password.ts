import { ApiError } from '../../kit/errors.js';
import type { AccountDocument, AccountStore } from '../store/accounts.js';
import type { SessionStore } from '../store/sessions.js';
import type { Passwords } from './passwords.js';
import type { Throttle } from './throttle.js';

export interface PasswordParts {
  accounts: AccountStore;
  sessions: SessionStore;
  passwords: Passwords;
  throttle: Throttle;
  /** Forgets the callers that this process remembers, so that ended sessions are refused at once. */
  forgetCallers: () => void;
  /** Called with the e-mail of an account whose password was replaced. */
  onPassword: (email: string) => void;
}

/** Changes a password for a caller that knows the present one. All sessions of the account except `sessionId` end. */
export async function changePassword(
  parts: PasswordParts,
  caller: { accountId: string; sessionId: string; address: string },
  request: { password: string; newPassword: string },
): Promise<void> {
  const { accounts, passwords, throttle } = parts;
  const account = await accounts.find(caller.accountId);
  if (account === null) throw new Error(`a caller of account ${caller.accountId}, which does not exist`);
  // Guesses through a session that was left open count like those of signing in.
  throttle.signIn(account.email, caller.address);
  const isRight = await passwords.verify(account.passwordHash, request.password);
  if (!isRight) throw new ApiError('bad_request', 'password: this is not the present password of the account.');
  throttle.signedIn(account.email, caller.address);
  await replacePassword(parts, account, request.newPassword, caller.sessionId);
}

/** Gives an account a new password without the old one, for the operator. All its sessions end. */
export function resetPassword(parts: PasswordParts, account: AccountDocument, password: string): Promise<void> {
  return replacePassword(parts, account, password);
}

async function replacePassword(
  { accounts, sessions, passwords, forgetCallers, onPassword }: PasswordParts,
  { _id, email, passwordHash }: AccountDocument,
  password: string,
  keptSession?: string,
): Promise<void> {
  const hash = await passwords.hash(password);
  // Before the change, so that a crash after it leaves none of them; and after it, for one that was opened with the old password
  // meanwhile.
  await sessions.endAll(_id, keptSession);
  if (!(await accounts.setPassword(_id, hash, passwordHash))) {
    throw new ApiError('busy', 'The password was changed by another request just now. Try again with the new one.');
  }
  await sessions.endAll(_id, keptSession);
  forgetCallers();
  onPassword(email);
}
