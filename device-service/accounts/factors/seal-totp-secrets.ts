import type { SecondFactors } from '../../store/second-factors.js';
import type { SealCounts } from '../../store/seal-counts.js';
import type { AccountsContext } from '../accounts-context.js';
import { changeFactors } from './change-factors.js';
import { sealedSecret } from './totp-secrets.js';

/** People that are read at a time. */
const PAGE = 100;

/** Seals the secrets of apps with the first key of SECRETS_KEY. Each person is changed by one update. */
export async function sealTotpSecrets(context: AccountsContext): Promise<SealCounts> {
  const counts = { sealed: 0, again: 0, unreadable: 0 };
  let afterId: string | undefined;
  for (;;) {
    const people = await context.people.list(PAGE, afterId);
    for (const { _id, secondFactors } of people) {
      if (secondFactors === undefined) continue;
      const person = await changeFactors(context, _id, (factors) => sealed(context, factors));
      counts.sealed += person.sealed;
      counts.again += person.again;
      counts.unreadable += person.unreadable;
    }
    if (people.length < PAGE) return counts;
    afterId = people.at(-1)?._id;
  }
}

function sealed(context: AccountsContext, factors: SecondFactors): { next?: SecondFactors; result: SealCounts } {
  const result = { sealed: 0, again: 0, unreadable: 0 };
  const sealOne = <F extends SecondFactors['list'][number] | (SecondFactors['begun'] & object)>(factor: F): F => {
    if (factor.kind !== 'totp') return factor;
    const secret = sealedSecret(context, factor);
    if (secret === undefined) result.unreadable++;
    else result.sealed++;
    if (secret === undefined || secret === factor.secret) return factor;
    result.again++;
    return { ...factor, secret };
  };
  const { begun } = factors;
  const next = {
    ...factors,
    list: factors.list.map((factor) => sealOne(factor)),
    ...(begun !== undefined && { begun: sealOne(begun) }),
  };
  return result.again === 0 ? { result } : { next, result };
}
