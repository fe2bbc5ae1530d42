import { ApiError } from '../../../kit/errors/api-error.js';
import type { SecondFactorChallenge } from '../../../proto/gen/cloudphone/access/v1/second_factor_pb.js';
import type { AccountDocument } from '../../store/accounts.js';
import type { PersonDocument } from '../../store/people.js';
import { hasSecondFactor } from '../../store/second-factors.js';
import type { AccountsContext } from '../accounts-context.js';
import { openChallenge, passwordMark } from '../factors/challenge.js';
import { findPerson } from './find-person.js';
import { openSession } from './open-session.js';

/**
 * Signs a person in by password, and opens a session. Someone with a second factor gets a challenge instead (finish-sign-in.ts). An unknown e-mail and a wrong password are refused with the same text after the same
 * time.
 */
export async function signIn(
  context: AccountsContext,
  request: { email: string; password: string },
  address: string,
): Promise<{ account: AccountDocument; token: string } | { challenge: SecondFactorChallenge }> {
  const person = await checkPassword(context, request, address);
  if (hasSecondFactor(person))
    return { challenge: await openChallenge(context, person, { passwordMark: passwordMark(person) }) };
  const opened = await openSession(context, person, address);
  // If the password was changed meanwhile, or a second factor added, that change may have ended the sessions before this one was stored.
  const now = await context.people.find(person._id);
  if (now?.passwordHash !== person.passwordHash || (now !== null && hasSecondFactor(now))) {
    await context.sessions.end(person._id, opened.id);
    throw wrongPassword();
  }
  return opened;
}

/** Returns the person whose password this is. Throws unauthorized, or rate_limited after many attempts. */
export async function checkPassword(
  context: AccountsContext,
  request: { email: string; password: string },
  address: string,
): Promise<PersonDocument> {
  const { passwords, throttle } = context;
  const email = request.email.toLowerCase();
  throttle.signIn(email, address);
  const person = await findPerson(context, email);
  const isRight = await passwords.verify(person?.passwordHash, request.password, address);
  if (person === null || !isRight) throw wrongPassword();
  throttle.signedIn(email, address);
  return person;
}

function wrongPassword(): ApiError {
  return new ApiError('unauthorized', 'Wrong e-mail or password.');
}
