import { formatMoney } from '../../../kit/text/money.js';
import type { AccountTrial } from '../../store/accounts.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { ChargedDevice, LedgerEntry, LedgerStore } from '../../store/ledger.js';
import { spendable } from './holds.js';
import type { Posting, Price, Standing } from './postings.js';
import { monthStart } from './months.js';
import type { Prices } from './prices.js';

export const MINUTE_MS = 60_000;
const MINUTES_OF_DAY = 1_440;

export type Charged = Pick<DeviceDocument, '_id' | 'name' | 'createdBy' | 'plan'>;

/**
 * Returns the line for a begun minute of the UTC clock in which the device ran. Each minute of a device has one dedupe key, so it is
 * charged at most once.
 */
export function minutePosting(device: Charged, minute: number): Posting {
  return {
    kind: 'minute',
    at: new Date(minute * MINUTE_MS),
    dedupe: minuteDedupe(device._id, minute),
    minutes: 1,
    device: chargedDevice(device),
  };
}

/** Returns the dedupe key of a minute. The keys of a phone's minutes sort by minute. */
export function minuteDedupe(phoneId: string, minute: number): string {
  return `${minutePrefix(phoneId)}${String(minute).padStart(10, '0')}`;
}

/** Returns the last minute, not after `last`, that was charged for a phone; 0 when there is none. */
export async function lastCharged(entries: LedgerStore, phoneId: string, last: number): Promise<number> {
  const prefix = minutePrefix(phoneId);
  const greatest = await entries.findGreatest(prefix, minuteDedupe(phoneId, last));
  return greatest === undefined ? 0 : Number(greatest.slice(prefix.length));
}

function minutePrefix(phoneId: string): string {
  return `minute/${phoneId}/`;
}

/** Returns the lines of a phone for the day of UTC that begins at `firstMs`: its minutes, and its months and refunds. */
export async function chargesOfDay(entries: LedgerStore, phoneId: string, firstMs: number): Promise<LedgerEntry[]> {
  const first = minuteOf(firstMs);
  const [minutes, months, refunds] = await Promise.all([
    entries.listByDedupe(minuteDedupe(phoneId, first), minuteDedupe(phoneId, first + MINUTES_OF_DAY)),
    // '0' is the character after '/'. A phone has few months.
    entries.listByDedupe(`month/${phoneId}/`, `month/${phoneId}0`),
    entries.listByDedupe(`refund/month/${phoneId}/`, `refund/month/${phoneId}0`),
  ]);
  const isOfDay = ({ at }: LedgerEntry): boolean =>
    at.getTime() >= firstMs && at.getTime() < firstMs + MINUTES_OF_DAY * MINUTE_MS;
  return [...minutes, ...[...months, ...refunds].filter(isOfDay)];
}

/** Returns the number of the minute of the UTC clock that a time is in. */
export function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS);
}

/**
 * How many minutes back are still charged. A restart of the service takes seconds while phones run on. A longer gap is a fault of the
 * service, or a clock that was set; the customer does not pay for it.
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
  // If the clock was ahead when the run started, the start may be later than the end.
  const started = Math.min(minuteOf(startedMs), last);
  const first = Math.max(started, charged + 1, last - CATCH_UP_MINUTES + 1);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

/** Returns the line for a month of a device of plan month; month 0 is the first. */
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
 * Returns the prices of minutes. They are free without billing, and for the phone that has the trial, while it lasts. Other minutes are
 * taken from the balance, which they never bring below 0.
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

/** Returns the amount of a charge. A price of 0 is not negated, so that no line holds -0. */
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
