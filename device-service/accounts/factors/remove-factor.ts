import { ApiError } from '../../../kit/errors/api-error.js';
import type { PersonDocument } from '../../store/people.js';
import type { AccountsContext } from '../accounts-context.js';
import { changeFactors } from './change-factors.js';
import { createRecoveryCodes, recoveryDigest } from './recovery-codes.js';

/** Removes a second factor of a person; with the last one, the recovery codes too. */
export async function removeFactor(
  context: AccountsContext,
  person: PersonDocument,
  accountId: string,
  id: string,
): Promise<void> {
  const isRequired = await context.accounts.requiresSecondFactor(accountId);
  await changeFactors(context, person._id, (factors) => {
    const list = factors.list.filter((factor) => factor.id !== id);
    if (list.length === factors.list.length)
      throw new ApiError('not_found', `There is no second factor "${id}". GET /v1/account/second-factors lists yours.`);
    if (list.length === 0 && isRequired)
      throw new ApiError(
        'forbidden',
        'This account requires a second factor, and this is your last one. Add another one first.',
      );
    return {
      next: { ...factors, list, recoveryCodes: list.length === 0 ? [] : factors.recoveryCodes },
      result: undefined,
    };
  });
  context.forgetCallers();
}

/** Removes all second factors and recovery codes of a person who lost them, and ends the person's sessions. Returns how many there were. */
export async function removeAllFactors(context: AccountsContext, { _id }: PersonDocument): Promise<number> {
  const removed = await changeFactors(context, _id, ({ list }) => ({
    next: { list: [], recoveryCodes: [] },
    result: list.length,
  }));
  await context.sessions.endAll(_id);
  context.forgetCallers();
  return removed;
}

/** Replaces the recovery codes of a person. Returns the new ones. */
export function renewRecoveryCodes(context: AccountsContext, { _id }: PersonDocument): Promise<string[]> {
  return changeFactors(context, _id, (factors) => {
    if (factors.list.length === 0)
      throw new ApiError(
        'bad_request',
        'Recovery codes replace second factors, and you have none. Set one up: POST /v1/account/second-factors.',
      );
    const codes = createRecoveryCodes();
    return { next: { ...factors, recoveryCodes: codes.map(recoveryDigest) }, result: codes };
  });
}
