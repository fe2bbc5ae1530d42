import { ApiError } from '../../../kit/errors/api-error.js';
import type { AccountDocument } from '../../store/accounts.js';
import type { PersonDocument } from '../../store/people.js';
import type { SignInChallengeDocument } from '../../store/sign-in-challenges.js';
import type { AccountsContext } from '../accounts-context.js';
import { openSession } from './open-session.js';
import { findChallenge, passwordMark } from '../factors/challenge.js';
import { namedIn } from '../factors/passkeys.js';
import { isProven, type Proof } from '../factors/is-proven.js';

/** Ends a sign-in that was begun by a password or for a passkey. Everything that is wrong with it is refused with one text. */
export async function finishSignIn(
  context: AccountsContext,
  { token, ...proof }: Proof & { token: string },
  address: string,
  /** Called with the person whose sign-in it is, before the proof is checked. */
  onPerson: (person: PersonDocument) => void,
): Promise<{ account: AccountDocument; token: string }> {
  const { people, sessions, signInChallenges, throttle } = context;
  throttle.challenge(address);
  const challenge = await findChallenge(context, token);
  if (challenge === undefined || challenge.sessionId !== undefined) throw refused();
  const person = await personOf(context, challenge, proof);
  if (person === undefined) throw refused();
  onPerson(person);
  if (!(await isProven(context, person, challenge, proof, address))) throw refused();
  if (!(await signInChallenges.take(challenge._id))) throw refused();
  const opened = await openSession(context, person, address);
  // If the password was changed meanwhile, that change may have ended the sessions before this one was stored.
  const now = await people.find(person._id);
  const isOpen = now !== null && (challenge.passwordMark ?? passwordMark(now)) === passwordMark(now);
  if (isOpen) return opened;
  await sessions.end(person._id, opened.id);
  throw refused();
}

async function personOf(
  { people }: AccountsContext,
  { personId }: SignInChallengeDocument,
  { passkey }: Proof,
): Promise<PersonDocument | undefined> {
  const id = personId ?? (passkey === undefined ? undefined : namedIn(passkey)?.personId);
  return id === undefined ? undefined : ((await people.find(id)) ?? undefined);
}

function refused(): ApiError {
  return new ApiError(
    'unauthorized',
    'The sign-in has ended, or the proof is wrong. Try another code, or sign in again.',
  );
}
