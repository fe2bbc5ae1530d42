import { ApiError, UNAUTHORIZED_MESSAGE } from '../../../kit/errors/api-error.js';
import type { PersonDocument } from '../../store/people.js';
import type { SecondFactors } from '../../store/second-factors.js';
import type { AccountsContext } from '../accounts-context.js';

/** Changes by other requests meanwhile, after each of which this one is tried again. */
const MAX_TRIES = 10;

/** What a change makes of the factors that it was given. Without `next`, they stay. */
export interface FactorChange<T> {
  next?: Omit<SecondFactors, 'version'>;
  result: T;
}

/**
 * Changes the second factors of a person as a whole, if nobody changed them since they were read. Otherwise the change is made again from
 * the new ones. So of several requests with one code, one succeeds.
 */
export async function changeFactors<T>(
  { people }: Pick<AccountsContext, 'people'>,
  personId: string,
  change: (factors: SecondFactors, person: PersonDocument) => FactorChange<T> | Promise<FactorChange<T>>,
): Promise<T> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const person = await people.find(personId);
    if (person === null) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
    const factors = person.secondFactors ?? { version: 0, list: [], recoveryCodes: [] };
    const { next, result } = await change(factors, person);
    if (next === undefined) return result;
    const changed = { ...next, version: factors.version + 1 };
    if (await people.setSecondFactors(personId, person.secondFactors?.version, changed)) return result;
  }
  throw new ApiError('busy', 'Your second factors were changed by other requests just now. Try again.');
}
