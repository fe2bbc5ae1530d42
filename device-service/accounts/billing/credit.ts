import type { Standing } from './postings.js';
import type { AccountsContext } from '../accounts-context.js';

/**
 * Adds to an account's balance, once for each `id`. The note on the account is written first. At worst, a crash in between prevents a
 * trial from beginning. The operator then gets no response, and credits again with the same id.
 */
export async function credit(
  { accounts, ledger, clock }: AccountsContext,
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
