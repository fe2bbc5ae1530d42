import type { Hold, LedgerEntry } from '../store/ledger.js';

/** Where an account is after the last line of its ledger. */
export interface Standing {
  balanceMicros: number;
  /** Minutes of the trial used so far. */
  trialMinutes: number;
  /** Phones whose next minute is kept (holds.ts). */
  holds: readonly Hold[];
}

/** A line to be added. */
export type Posting = Pick<LedgerEntry, 'kind' | 'at' | 'dedupe' | 'minutes' | 'device' | 'phoneId'>;

/** Returns the price of a posting at an account's standing: `amountMicros` is added to the balance. Undefined: it cannot be paid for. */
export type Price = (standing: Standing, posting: Posting) => { amountMicros: number; trial?: boolean } | undefined;
