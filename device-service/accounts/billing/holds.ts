import { createId } from '../../../kit/text/ids.js';
import type { Hold } from '../../store/ledger.js';
import type { Posting, Price, Standing } from './postings.js';
import type { Prices } from './prices.js';

/**
 * How long a phone's next minute is reserved for it, ms: longer than a job that starts a phone may take. A hold ends after this time if
 * the process is killed before it accepts the phone's job.
 */
const HOLD_MS = 15 * 60_000;

/**
 * Returns the line that reserves the price of a phone's next minute, from before its start is accepted until it runs. The line takes
 * nothing off the balance, but only this phone can spend the reserved amount. The hold is ended by the phone's next minute, by a release,
 * or by time.
 *
 * Each line of the ledger lists all holds that exist after it, so the insert of a hold's line also publishes the hold. Any number of starts
 * may come at the same time, on any number of instances: no more holds are granted than the balance covers.
 */
export function holdPosting(phoneId: string, nowMs: number): Posting {
  return { kind: 'hold', at: new Date(nowMs), dedupe: createId(`hold/${phoneId}/h`, nowMs), minutes: 0, phoneId };
}

/** Returns the line that ends a phone's hold, when the phone has stopped or did not start. */
export function releasePosting(phoneId: string, nowMs: number): Posting {
  return { kind: 'release', at: new Date(nowMs), dedupe: createId(`release/${phoneId}/r`, nowMs), minutes: 0, phoneId };
}

export function holdPrice(prices: Prices): Price {
  return (standing, { phoneId }) =>
    spendable(standing, prices, phoneId) >= prices.minuteMicros ? { amountMicros: 0 } : undefined;
}

/** Returns the amount that may be charged for a phone, or for anything else: the balance without the holds of other phones. */
export function spendable({ balanceMicros, holds }: Standing, { minuteMicros }: Prices, phoneId?: string): number {
  return balanceMicros - minuteMicros * holds.filter((hold) => hold.phoneId !== phoneId).length;
}

export function holdsAfter(holds: readonly Hold[], { kind, at, device, phoneId }: Posting): readonly Hold[] {
  if (kind === 'hold' && phoneId !== undefined) {
    return [...without(holds, phoneId), { phoneId, until: new Date(at.getTime() + HOLD_MS) }];
  }
  if (kind === 'release') return without(holds, phoneId);
  return kind === 'minute' ? without(holds, device?.phoneId) : holds;
}

export function unlapsed(holds: readonly Hold[], nowMs: number): readonly Hold[] {
  return holds.filter(({ until }) => until.getTime() > nowMs);
}

function without(holds: readonly Hold[], phoneId: string | undefined): readonly Hold[] {
  return holds.filter((hold) => hold.phoneId !== phoneId);
}
