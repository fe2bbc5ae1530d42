import { ApiError } from '../../../kit/errors/api-error.js';
import type { FactorDocument, SecondFactors } from '../../store/second-factors.js';
import type { PersonDocument } from '../../store/people.js';
import type { AccountsContext } from '../accounts-context.js';
import { FACTOR_BEGUN_MS, MAX_SECOND_FACTORS } from '../limits.js';
import { requirePublicUrl, tooManyFactors } from './begin-factor.js';
import { changeFactors } from './change-factors.js';
import { madePasskey } from './passkeys.js';
import { createRecoveryCodes, recoveryDigest } from './recovery-codes.js';
import { stepOfCode } from './totp.js';
import { openedSecret } from './totp-secrets.js';

/** What shows that a second factor works. */
export interface FactorProof {
  id: string;
  code?: string | undefined;
  passkey?: string | undefined;
}

/**
 * Makes a second factor count. The first one of a person comes with recovery codes. The person's other sessions end, as they began without
 * it; the session of the request is confirmed by it.
 */
export async function confirmFactor(
  context: AccountsContext,
  person: PersonDocument,
  caller: { sessionId: string; address: string },
  proof: FactorProof,
): Promise<{ factor: FactorDocument; recoveryCodes: string[] }> {
  const { sessions, throttle, clock, forgetCallers } = context;
  throttle.proof(person.email, caller.address);
  const confirmed = await changeFactors(context, person._id, async (factors) => {
    const factor = await provenFactor(context, factors, proof);
    if (factors.list.length >= MAX_SECOND_FACTORS) throw tooManyFactors();
    const recoveryCodes = factors.list.length === 0 ? createRecoveryCodes() : [];
    const next = {
      list: [...factors.list, factor],
      recoveryCodes: recoveryCodes.length === 0 ? factors.recoveryCodes : recoveryCodes.map(recoveryDigest),
    };
    return { next, result: { factor, recoveryCodes } };
  });
  throttle.proven(person.email, caller.address);
  await sessions.endAll(person._id, caller.sessionId);
  await sessions.confirm(person._id, caller.sessionId, new Date(clock.now()));
  forgetCallers();
  return confirmed;
}

async function provenFactor(
  context: AccountsContext,
  { begun }: SecondFactors,
  { id, code = '', passkey = '' }: FactorProof,
): Promise<FactorDocument> {
  const now = context.clock.now();
  if (begun?.id !== id || now - begun.createdAt.getTime() > FACTOR_BEGUN_MS) {
    throw new ApiError(
      'not_found',
      `There is no second factor "${id}" to confirm. Begin one: POST /v1/account/second-factors.`,
    );
  }
  const { name, createdAt } = begun;
  if (begun.kind === 'passkey') {
    const publicUrl = requirePublicUrl(context);
    const made = await madePasskey({ ...context, publicUrl }, passkey, begun.challenge);
    if (made !== undefined) return { id, name, createdAt, ...made };
    throw new ApiError(
      'bad_request',
      'passkey: it does not respond to the options of this second factor. Begin again.',
    );
  }
  const secret = openedSecret(context, begun);
  const lastStep = secret === undefined ? undefined : stepOfCode(secret, code, 0, now);
  if (lastStep !== undefined) return { ...begun, lastStep };
  throw new ApiError(
    'bad_request',
    'code: it is wrong. Give the code that the app shows now, and check the clock of its device.',
  );
}
