import { formatMoney } from '../../../kit/text/money.js';
import type { AccountsContext } from '../accounts-context.js';
import { spendable } from '../billing/holds.js';
import { monthNumber } from '../billing/months.js';
import { notifyAccount } from './notify-account.js';

const DAY_MS = 86_400_000;
const MINUTES_A_DAY = 1_440;

/**
 * Queues a mail for each account whose balance does not last for a day with what runs now. It looks at the accounts with devices of this
 * host. The other hosts look at theirs, and a notice that both queue is one mail.
 */
export async function notifyLowBalances(context: AccountsContext, signal: AbortSignal): Promise<void> {
  const { devices, prices, hostId, mailQueue } = context;
  if (mailQueue === undefined || !prices.billing) return;
  const ofHost = devices.ofHost(hostId);
  const [running, monthly] = await Promise.all([ofHost.findMetered(), ofHost.findMonthly()]);
  const accountIds = new Set([...running, ...monthly].map(({ accountId }) => accountId));
  for (const accountId of accountIds) {
    if (signal.aborted) return;
    const months = monthly
      .filter((device) => device.accountId === accountId)
      .map(({ createdAt }) => createdAt.getTime());
    await notifyLowBalance(context, accountId, months);
  }
}

async function notifyLowBalance(context: AccountsContext, accountId: string, monthsBeganMs: number[]): Promise<void> {
  const { accounts, devices, ledger, prices, clock } = context;
  if ((await accounts.find(accountId)) === null) return;
  const running = (await devices.findRuns(accountId)).filter(({ state }) => state === 'running').length;
  const now = clock.now();
  const months = monthsBeganMs.filter((ms) => monthNumber(ms, now) !== monthNumber(ms, now + DAY_MS)).length;
  const neededMicros = running * MINUTES_A_DAY * prices.minuteMicros + months * prices.monthMicros;
  const standing = await ledger.standing(accountId);
  const leftMicros = spendable(standing, prices);
  // A balance below a minute is no news: a phone then runs on the trial, or was stopped.
  if (neededMicros === 0 || leftMicros >= neededMicros || leftMicros < prices.minuteMicros) return;
  const data = { balance: formatMoney(standing.balanceMicros) };
  await notifyAccount(context, { kind: 'low_balance', accountId, about: accountId, data });
}
