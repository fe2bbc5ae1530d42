import type { AccountsContext } from '../accounts-context.js';
import { changeFactors } from './change-factors.js';
import { countOfSignature, namedIn } from './passkeys.js';

/** Returns whether a response is a signature of the challenge by a passkey of the person. Its counter is kept, so that a copy is noticed. */
export async function usePasskey(
  context: AccountsContext,
  personId: string,
  response: string,
  signed: { challenge: string; isAlone: boolean },
): Promise<boolean> {
  const { publicUrl, log, clock } = context;
  const credentialId = namedIn(response)?.credentialId;
  if (publicUrl === undefined || credentialId === undefined) return false;
  return changeFactors(context, personId, async (factors) => {
    for (const factor of factors.list) {
      if (factor.kind !== 'passkey' || factor.credentialId !== credentialId) continue;
      const counter = await countOfSignature({ publicUrl, log }, response, factor, signed);
      if (counter === undefined) return { result: false };
      const used = { ...factor, counter, lastUsedAt: new Date(clock.now()) };
      return { next: { ...factors, list: factors.list.map((one) => (one === factor ? used : one)) }, result: true };
    }
    return { result: false };
  });
}
