import { formatMoney } from '../../kit/money.js';
import type { AccountTrial } from '../store/accounts.js';
import type { DeviceDocument } from '../store/devices.js';
import type { ChargedDevice } from '../store/ledger.js';
import type { Posting, Price, Standing } from './ledger.js';
import { monthStart } from './months.js';
import { MINUTE_MICROS, MONTH_MICROS, TRIAL_MINUTES } from './prices.js';

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

/** Prefix of the dedupes of a phone's minutes; they sort by minute. */
export function minutePrefix(phoneId: string): string {
  return `minute/${phoneId}/`;
}

export function minuteDedupe(phoneId: string, minute: number): string {
  return `${minutePrefix(phoneId)}${String(minute).padStart(10, '0')}`;
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

/** Minutes are free for the phone that has the trial, while it lasts; else they come out of the balance, which never goes below 0. */
export function minutePrice(trial: AccountTrial): Price {
  return ({ balanceMicros, trialMinutes }, { device }) => {
    const onTrial = trial.state === 'active' && trial.phoneId === device?.phoneId && trialMinutes < TRIAL_MINUTES;
    if (onTrial) return { amountMicros: 0, trial: true };
    return balanceMicros >= MINUTE_MICROS ? { amountMicros: -MINUTE_MICROS } : undefined;
  };
}

export const monthPrice: Price = ({ balanceMicros }) =>
  balanceMicros >= MONTH_MICROS ? { amountMicros: -MONTH_MICROS } : undefined;

/** The advice for a balance that is too low. */
export function tooLow({ balanceMicros }: Standing, plan: 'minute' | 'month'): string {
  const [what, price] = plan === 'minute' ? ['a minute', MINUTE_MICROS] : ['the month', MONTH_MICROS];
  return (
    `The balance of ${formatMoney(balanceMicros)} USD does not cover ${what} (${formatMoney(price)} USD). ` +
    'Add credit to the account, then start again.'
  );
}

function chargedDevice({ _id, name, createdBy, plan }: Charged): ChargedDevice {
  return { phoneId: _id, name, createdBy, plan };
}
