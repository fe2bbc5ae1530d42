import type { PersonDocument } from '../../store/people.js';
import type { SignInChallengeDocument } from '../../store/sign-in-challenges.js';
import type { AccountsContext } from '../accounts-context.js';
import { useCode } from './use-code.js';
import { usePasskey } from './use-passkey.js';

/** What a person shows besides the password, or in its place. */
export interface Proof {
  code?: string | undefined;
  passkey?: string | undefined;
}

/** Returns whether a proof is one of the person. Attempts with codes are counted: passkeys cannot be guessed. */
export async function isProven(
  context: AccountsContext,
  { _id, email }: PersonDocument,
  { personId, signed }: Pick<SignInChallengeDocument, 'personId' | 'signed'>,
  { code, passkey }: Proof,
  address: string,
): Promise<boolean> {
  const isAlone = personId === undefined;
  if (passkey !== undefined)
    return signed !== undefined && usePasskey(context, _id, passkey, { challenge: signed, isAlone });
  // A code alone, without a password, is one factor only.
  if (code === undefined || isAlone) return false;
  context.throttle.proof(email, address);
  if (!(await useCode(context, _id, code))) return false;
  context.throttle.proven(email, address);
  return true;
}
