import type { Hold, LedgerEntry } from '../../store/ledger.js';

/** The state of an account after the last line of its ledger. */
export interface Standing {
  balanceMicros: number;
  /** Minutes of the trial used so far. */
  trialMinutes: number;
  /** Phones whose next minute is reserved (holds.ts). */
  holds: readonly Hold[];
}

/** A line to be added. */
export type Posting = Pick<LedgerEntry, 'kind' | 'at' | 'dedupe' | 'minutes' | 'device' | 'phoneId'>;

/**
 * Returns the price of a posting in the present state of the account. `amountMicros` is added to the balance, so a charge is negative.
 * Undefined means that the account cannot pay for it.
 */
export type Price = (standing: Standing, posting: Posting) => { amountMicros: number; trial?: boolean } | undefined;
