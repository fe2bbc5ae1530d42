import { ApiError } from '../../../kit/errors/api-error.js';
import { accountMadeFor, type PersonDocument } from '../../store/people.js';
import type { AccountsContext } from '../accounts-context.js';

/** Changes a password for a person that knows the present one. All sessions of the person except `sessionId` end. */
export async function changePassword(
  context: AccountsContext,
  person: PersonDocument,
  caller: { sessionId: string; address: string },
  request: { password: string; newPassword: string },
): Promise<void> {
  const { passwords, throttle } = context;
  // Wrong passwords in a session that was left open count like those at sign-in.
  throttle.signIn(person.email, caller.address);
  const isRight = await passwords.verify(person.passwordHash, request.password, caller.address);
  if (!isRight) throw new ApiError('bad_request', 'password: this is not your present password.');
  throttle.signedIn(person.email, caller.address);
  await replacePassword(context, person, request.newPassword, caller);
}

/** Gives a person a new password without the old one. All sessions of the person end. */
export function resetPassword(context: AccountsContext, person: PersonDocument, password: string): Promise<void> {
  return replacePassword(context, person, password);
}

async function replacePassword(
  { accounts, mailLinks, people, sessions, passwords, forgetCallers, onPassword }: AccountsContext,
  { _id, email, passwordHash }: PersonDocument,
  password: string,
  caller?: { sessionId: string; address: string },
): Promise<void> {
  const keptSession = caller?.sessionId;
  const hash = await passwords.hash(password, caller?.address);
  // Processes of the release before must not take the old password either.
  await accounts.removePassword(accountMadeFor(_id));
  // Sessions are ended before the change, so that a crash after it leaves none of them. They are ended again after it, because one may
  // have been opened with the old password meanwhile.
  await sessions.endAll(_id, keptSession);
  if (!(await people.setPassword(_id, hash, passwordHash))) {
    throw new ApiError('busy', 'The password was changed by another request just now. Try again with the new one.');
  }
  await sessions.endAll(_id, keptSession);
  // Someone who changes a password because of a mail that they did not ask for expects its link to be dead.
  await mailLinks.removeOf(_id, 'reset');
  forgetCallers();
  onPassword(email);
}
