import type { Clock } from '../../kit/clock.js';
import type { AccountStore } from '../store/accounts.js';
import type { Ledger } from './ledger.js';
import type { Standing } from './postings.js';

/**
 * Adds to an account's balance, once for each `id`. The note on the account comes first: a crash in between at worst keeps a trial
 * from beginning, and the operator, without a response, credits again with the same id.
 */
export async function credit(
  { accounts, ledger, clock }: { accounts: AccountStore; ledger: Ledger; clock: Clock },
  accountId: string,
  amountMicros: number,
  id: string,
): Promise<Standing> {
  const at = new Date(clock.now());
  await accounts.noteCredit(accountId, at);
  const posting = { kind: 'credit' as const, at, dedupe: `credit/${accountId}/${id}`, minutes: 0 };
  const { standing } = await ledger.post(accountId, [posting], () => ({ amountMicros }));
  return standing;
}
