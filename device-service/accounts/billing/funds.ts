import { ApiError } from '../../../kit/errors/api-error.js';
import { formatMoney } from '../../../kit/text/money.js';
import type { AccountDocument, AccountTrial } from '../../store/accounts.js';
import type { DeviceDocument } from '../../store/devices.js';
import { type Charged, monthPosting, monthPrice, tooLow } from './charges.js';
import { holdPosting, holdPrice, releasePosting, spendable } from './holds.js';
import { monthNumber } from './months.js';
import type { Standing } from './postings.js';
import { AMPLE_MINUTES, type Prices } from './prices.js';
import type { AccountsContext } from '../accounts-context.js';

/**
 * How long no other phone can take over the trial from the one that has just got it, ms. Until then, the devices may not show yet that this
 * phone is about to be made or started. `release` ends the time early, once the phone is known to have stopped, or not to have started.
 */
const TRIAL_HELD_MS = 10_000;

/**
 * Throws insufficient_funds unless the device may run from now on. Nothing may be owed. The balance or the account's trial must cover
 * a minute. With plan month, the month must be paid, and is charged now if need be.
 *
 * The check comes before the claim of the device, so that nothing is done that is not paid for. The meter charges the minute itself once
 * the phone runs. Until then the minute is held for the phone, so that others cannot start on it too. After a crash before the claim, the
 * hold lapses.
 */
export async function assertMayRun(
  context: AccountsContext,
  device: Charged & { accountId: string; createdAt: Date },
): Promise<void> {
  const { ledger, prices, clock } = context;
  if (!prices.billing) return;
  if (device.plan === 'month') {
    const createdMs = device.createdAt.getTime();
    const posting = monthPosting(device, createdMs, monthNumber(createdMs, clock.now()));
    const { standing, refused } = await ledger.post(device.accountId, [posting], monthPrice(prices));
    if (refused.length > 0) throw new ApiError('insufficient_funds', tooLow(standing, 'month', prices));
    assertNothingOwed(standing);
    return;
  }
  const before = await ledger.standing(device.accountId);
  assertNothingOwed(before);
  if (isAmple(before, prices)) return;
  const hold = holdPosting(device._id, clock.now());
  const { standing, refused } = await ledger.post(device.accountId, [hold], holdPrice(prices));
  if (refused.length === 0) return;
  if (await claimTrial(context, device.accountId, standing, device._id)) return;
  throw new ApiError('insufficient_funds', await noMinute(context, device.accountId, standing));
}

/** Returns why a phone cannot have its next minute: another phone has the trial, or there is neither trial nor money. */
async function noMinute(
  { accounts, devices, prices }: AccountsContext,
  accountId: string,
  standing: Standing,
): Promise<string> {
  const account = await accounts.find(accountId);
  const other =
    account !== null && isActive(account.trial, standing, prices)
      ? await devices.findById(account.trial.phoneId ?? '')
      : null;
  if (other === null || other.gone === true) return tooLow(standing, 'minute', prices);
  return `The trial is for one device at a time, and "${other.name}" has it. Stop that device, or add credit to the account, then start again.`;
}

/** Returns whether any device of plan minute of the account may run without a hold. */
export async function hasAmpleFunds({ ledger, prices }: AccountsContext, accountId: string): Promise<boolean> {
  return !prices.billing || isAmple(await ledger.standing(accountId), prices);
}

/**
 * Ends the hold on the next minute of a phone that has stopped, or did not start, and releases the trial. Other phones can use both at
 * once. Doing it again changes nothing.
 */
export async function release(
  { accounts, ledger, prices, clock }: Omit<AccountsContext, 'devices'>,
  { _id: phoneId, accountId, plan }: Pick<DeviceDocument, '_id' | 'accountId' | 'plan'>,
): Promise<void> {
  if (plan !== 'minute') return;
  const { holds, balanceMicros } = await ledger.standing(accountId);
  if (holds.some((hold) => hold.phoneId === phoneId)) {
    await ledger.post(accountId, [releasePosting(phoneId, clock.now())], () => ({ amountMicros: 0 }));
  }
  // The trial is not used while the balance covers a minute.
  if (balanceMicros < prices.minuteMicros) await accounts.releaseTrial(accountId, phoneId);
}

function isAmple(standing: Standing, prices: Prices): boolean {
  return spendable(standing, prices) >= AMPLE_MINUTES * prices.minuteMicros;
}

/**
 * Throws insufficient_funds where a device of plan minute could not run now. It claims nothing, as it is for a device that is made and
 * not started.
 */
export async function assertCouldRun({ accounts, ledger, prices }: AccountsContext, accountId: string): Promise<void> {
  if (!prices.billing) return;
  const [account, standing] = await Promise.all([accounts.find(accountId), ledger.standing(accountId)]);
  assertNothingOwed(standing);
  if (spendable(standing, prices) >= prices.minuteMicros) return;
  const open = account !== null && (mayBegin(account, prices) || isActive(account.trial, standing, prices));
  if (!open) throw new ApiError('insufficient_funds', tooLow(standing, 'minute', prices));
}

/**
 * Throws insufficient_funds where the balance is below 0, as nothing starts then. A credit that paid for a month, or was used before a
 * trial, may have been reversed since.
 */
function assertNothingOwed({ balanceMicros }: Standing): void {
  if (balanceMicros >= 0) return;
  throw new ApiError(
    'insufficient_funds',
    `The balance is ${formatMoney(balanceMicros)} USD, as a payment was taken back. Add credit to the account, then start again.`,
  );
}

/**
 * Gets the trial for a phone: begins it, goes on with it, or takes it over from a phone that no longer runs. Each of these is one
 * conditional update, so only one of several simultaneous starts gets the trial.
 */
async function claimTrial(
  { accounts, devices, prices, clock }: AccountsContext,
  accountId: string,
  standing: Standing,
  phoneId: string,
): Promise<boolean> {
  const account = await accounts.find(accountId);
  if (account === null) return false;
  const now = new Date(clock.now());
  if (mayBegin(account, prices)) return accounts.beginTrial(accountId, phoneId, now);
  const { trial } = account;
  if (!isActive(trial, standing, prices)) return false;
  if (trial.phoneId === phoneId) return accounts.passTrial(accountId, trial, phoneId, now);
  const heldUntilMs = (trial.claimedAt?.getTime() ?? 0) + TRIAL_HELD_MS;
  if (heldUntilMs > now.getTime() || isInUse(await devices.findById(trial.phoneId ?? ''))) return false;
  return accounts.passTrial(accountId, trial, phoneId, now);
}

function mayBegin({ trial, creditedAt }: AccountDocument, { trialMinutes }: Prices): boolean {
  return trialMinutes > 0 && trial.state === 'unused' && creditedAt === undefined;
}

function isActive(trial: AccountTrial, { trialMinutes }: Standing, prices: Prices): boolean {
  return trial.state === 'active' && trialMinutes < prices.trialMinutes;
}

function isInUse(device: DeviceDocument | null): boolean {
  if (device === null || device.gone === true) return false;
  return device.job !== undefined || (device.state !== 'stopped' && device.state !== 'failed');
}
