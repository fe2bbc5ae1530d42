import { createHash, randomBytes } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import {
  type SecondFactorChallenge,
  SecondFactorChallengeSchema,
  SecondFactorKind,
} from '../../../proto/gen/cloudphone/access/v1/second_factor_pb.js';
import type { PersonDocument } from '../../store/people.js';
import type { SignInChallengeDocument } from '../../store/sign-in-challenges.js';
import type { AccountsContext } from '../accounts-context.js';
import { CHALLENGE_LIFETIME_MS } from '../limits.js';
import { kindsOf } from './factor-message.js';
import { passkeysOf, passkeyToUse } from './passkeys.js';

/** Begins a challenge. Without a person, any passkey may end it. */
export async function openChallenge(
  { publicUrl, signInChallenges, clock }: AccountsContext,
  person: PersonDocument | undefined,
  more: Pick<SignInChallengeDocument, 'sessionId' | 'passwordMark'> = {},
): Promise<SecondFactorChallenge> {
  const token = `sfc_${randomBytes(32).toString('base64url')}`;
  const asksPasskey = publicUrl !== undefined && (person === undefined || passkeysOf(person).length > 0);
  const passkey = asksPasskey ? await passkeyToUse({ publicUrl }, person) : undefined;
  await signInChallenges.insert({
    _id: challengeDigest(token),
    ...(person !== undefined && { personId: person._id }),
    ...more,
    ...(passkey !== undefined && { signed: passkey.challenge }),
    expiresAt: new Date(clock.now() + CHALLENGE_LIFETIME_MS),
  });
  return create(SecondFactorChallengeSchema, {
    token,
    kinds: person === undefined ? [SecondFactorKind.PASSKEY] : kindsOf(person),
    ...(passkey !== undefined && { passkeyOptions: passkey.options }),
  });
}

/** Returns the challenge of a token; undefined for a wrong, used or expired one. */
export async function findChallenge(
  { signInChallenges, clock }: AccountsContext,
  token: string,
): Promise<SignInChallengeDocument | undefined> {
  const challenge = await signInChallenges.find(challengeDigest(token));
  return challenge === null || challenge.expiresAt.getTime() <= clock.now() ? undefined : challenge;
}

/** Returns a mark of the person's password, by which a later change is noticed. */
export function passwordMark({ passwordHash = '' }: PersonDocument): string {
  return createHash('sha256').update(passwordHash).digest('hex');
}

function challengeDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
