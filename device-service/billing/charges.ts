import { formatMoney } from '../../kit/money.js';
import type { AccountTrial } from '../store/accounts.js';
import type { DeviceDocument } from '../store/devices.js';
import type { ChargedDevice, LedgerStore } from '../store/ledger.js';
import { spendable } from './holds.js';
import type { Posting, Price, Standing } from './postings.js';
import { monthStart } from './months.js';
import type { Prices } from './prices.js';

export const MINUTE_MS = 60_000;

export type Charged = Pick<DeviceDocument, '_id' | 'name' | 'createdBy' | 'plan'>;

/** A begun minute of the UTC clock in which the device ran. Each (device, minute) has one dedupe, so it is charged at most once. */
export function minutePosting(device: Charged, minute: number): Posting {
  return {
    kind: 'minute',
    at: new Date(minute * MINUTE_MS),
    dedupe: minuteDedupe(device._id, minute),
    minutes: 1,
    device: chargedDevice(device),
  };
}

/** Dedupes of a phone's minutes sort by minute. */
export function minuteDedupe(phoneId: string, minute: number): string {
  return `${minutePrefix(phoneId)}${String(minute).padStart(10, '0')}`;
}

/** Returns the last minute charged for a phone that is not after `last`; 0 when there is none. */
export async function lastCharged(entries: LedgerStore, phoneId: string, last: number): Promise<number> {
  const prefix = minutePrefix(phoneId);
  const greatest = await entries.findGreatest(prefix, minuteDedupe(phoneId, last));
  return greatest === undefined ? 0 : Number(greatest.slice(prefix.length));
}

function minutePrefix(phoneId: string): string {
  return `minute/${phoneId}/`;
}

/** Returns the number of the minute of the UTC clock that a time is in. */
export function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS);
}

/**
 * How many minutes back are still charged. A restart of the service while phones live on takes seconds; a longer gap is a fault of
 * ours, or a clock that was set, and not the customer's to pay for.
 */
const CATCH_UP_MINUTES = 60;

/** Returns the minutes to charge for a run that goes on to `endMs`, where `charged` is the last minute charged for its phone. */
export function minutesDue({
  startedMs,
  charged,
  endMs,
}: {
  startedMs: number;
  charged: number;
  endMs: number;
}): number[] {
  const last = minuteOf(endMs);
  // By a clock that was ahead it may have started later than it ends.
  const started = Math.min(minuteOf(startedMs), last);
  const first = Math.max(started, charged + 1, last - CATCH_UP_MINUTES + 1);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

/** A month of a device of plan month; 0 is the first. */
export function monthPosting(device: Charged, createdMs: number, month: number): Posting {
  return {
    kind: 'month',
    at: new Date(monthStart(createdMs, month)),
    dedupe: `month/${device._id}/${month}`,
    minutes: 0,
    device: chargedDevice(device),
  };
}

/**
 * Minutes are free without billing, and for the phone that has the trial, while it lasts; else they come out of the balance, which never
 * goes below 0.
 */
export function minutePrice(trial: AccountTrial, prices: Prices): Price {
  const { billing, minuteMicros } = prices;
  return (standing, { device }) => {
    if (!billing) return FREE;
    const { trialMinutes } = standing;
    const onTrial = trial.state === 'active' && trial.phoneId === device?.phoneId && trialMinutes < prices.trialMinutes;
    if (onTrial) return { amountMicros: 0, trial: true };
    return charge(minuteMicros, spendable(standing, prices, device?.phoneId));
  };
}

export function monthPrice(prices: Prices): Price {
  return (standing) => (prices.billing ? charge(prices.monthMicros, spendable(standing, prices)) : FREE);
}

const FREE = { amountMicros: 0 };

/** Not negated where it is 0: a line holds no -0. */
function charge(priceMicros: number, spendableMicros: number): { amountMicros: number } | undefined {
  return spendableMicros >= priceMicros ? { amountMicros: 0 - priceMicros } : undefined;
}

/** Returns the advice for a balance that is too low. */
export function tooLow(
  { balanceMicros, holds, trialMinutes }: Standing,
  plan: 'minute' | 'month',
  prices: Prices,
): string {
  const { minuteMicros, monthMicros } = prices;
  const [what, price] = plan === 'minute' ? ['a minute', minuteMicros] : ['the month', monthMicros];
  const held =
    holds.length === 0
      ? ''
      : `, of which ${formatMoney(holds.length * minuteMicros)} USD is kept for devices that are starting,`;
  const trial =
    plan === 'minute' && prices.trialMinutes > 0 && trialMinutes >= prices.trialMinutes
      ? `The trial of ${prices.trialMinutes} minutes is used up. `
      : '';
  return (
    `${trial}The balance of ${formatMoney(balanceMicros)} USD${held} does not cover ${what} (${formatMoney(price)} USD). ` +
    'Add credit to the account, then start again.'
  );
}

function chargedDevice({ _id, name, createdBy, plan }: Charged): ChargedDevice {
  return { phoneId: _id, name, createdBy, plan };
}
