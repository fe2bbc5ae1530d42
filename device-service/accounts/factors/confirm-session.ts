import { ApiError } from '../../../kit/errors/api-error.js';
import type { SecondFactorChallenge } from '../../../proto/gen/cloudphone/access/v1/second_factor_pb.js';
import type { PersonDocument } from '../../store/people.js';
import { hasSecondFactor } from '../../store/second-factors.js';
import type { AccountsContext } from '../accounts-context.js';
import { findChallenge, openChallenge } from './challenge.js';
import { isProven, type Proof } from './is-proven.js';

/** Confirms a session by a second factor of its person. Without a proof, returns a challenge that a passkey can sign. */
export async function confirmSession(
  context: AccountsContext,
  person: PersonDocument,
  { sessionId, address }: { sessionId: string; address: string },
  { token, ...proof }: Proof & { token?: string | undefined },
): Promise<SecondFactorChallenge | undefined> {
  const { sessions, signInChallenges, throttle, clock, forgetCallers } = context;
  if (!hasSecondFactor(person))
    throw new ApiError('bad_request', 'You have no second factor, so nothing needs to be confirmed.');
  throttle.challenge(address);
  if (proof.code === undefined && proof.passkey === undefined) return openChallenge(context, person, { sessionId });
  const found = proof.passkey === undefined ? undefined : await findChallenge(context, token ?? '');
  const signed = found?.sessionId === sessionId ? found.signed : undefined;
  const challenge = { personId: person._id, ...(signed !== undefined && { signed }) };
  if (!(await isProven(context, person, challenge, proof, address))) throw wrong(proof);
  if (found !== undefined && !(await signInChallenges.take(found._id))) throw wrong(proof);
  if (!(await sessions.confirm(person._id, sessionId, new Date(clock.now()))))
    throw new ApiError('unauthorized', 'This session has ended. Sign in again.');
  forgetCallers();
  return undefined;
}

function wrong({ code }: Proof): ApiError {
  return code === undefined
    ? new ApiError(
        'bad_request',
        'passkey: it does not respond to the challenge. Get another one: POST /v1/session/confirm {}.',
      )
    : new ApiError(
        'bad_request',
        'code: it is wrong or was used. Give the code that the app shows next, or a recovery code.',
      );
}
