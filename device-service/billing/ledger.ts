import type { Clock } from '../../kit/clock.js';
import { KeyedLock } from '../../kit/keyed-lock.js';
import type { LedgerEntry, LedgerStore } from '../store/ledger.js';

/** The balance of an account after the last line of its ledger, and the minutes of its trial used. */
export interface Standing {
  balanceMicros: number;
  /** Minutes of the trial used so far. */
  trialMinutes: number;
}

/** A line to be added. */
export type Posting = Pick<LedgerEntry, 'kind' | 'at' | 'dedupe' | 'minutes' | 'device'>;

/** Returns the price of a posting at an account's standing: `amountMicros` is added to the balance. Undefined: it cannot be paid for. */
export type Price = (standing: Standing, posting: Posting) => { amountMicros: number; trial?: boolean } | undefined;

/** How often an append may lose to other instances before something else must be wrong. */
const APPEND_TRIES = 50;

/**
 * Adds lines to ledgers. A line is the successor of the last one by its `_id`, so of two that claim to follow the same line one is
 * refused and looks again: balances are exact without transactions, with any number of writers. Its `dedupe` is unique, so its purpose is
 * charged at most once, whatever crashed in between. Appends of one account wait for each other in this process, so that it does not
 * race itself.
 */
export class Ledger {
  readonly #store: LedgerStore;
  readonly #clock: Clock;
  readonly #lock = new KeyedLock();

  constructor(store: LedgerStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async standing(accountId: string): Promise<Standing> {
    const last = await this.#store.findLast(accountId);
    return { balanceMicros: last?.balanceMicros ?? 0, trialMinutes: last?.trialMinutes ?? 0 };
  }

  /**
   * Adds `postings` in their order; those written before are left as they are, and those that `price` refuses are returned. Once
   * this returns, the others are durable.
   */
  post(
    accountId: string,
    postings: readonly Posting[],
    price: Price,
  ): Promise<{ standing: Standing; refused: Posting[] }> {
    return this.#lock.run(accountId, () => this.#post(accountId, postings, price));
  }

  async #post(accountId: string, postings: readonly Posting[], price: Price) {
    let rest = postings;
    for (let tries = 0; tries < APPEND_TRIES; tries++) {
      const last = await this.#store.findLast(accountId);
      const { entries, refused, standing } = this.#chain(accountId, last, rest, price);
      if (entries.length === 0 || (await this.#store.insert(entries))) {
        // A posting that seems beyond the balance may have been written before, by another instance or before a crash.
        const written = await this.#store.findWritten(refused.map(({ dedupe }) => dedupe));
        return { standing, refused: refused.filter(({ dedupe }) => !written.has(dedupe)) };
      }
      const written = await this.#store.findWritten(rest.map(({ dedupe }) => dedupe));
      rest = rest.filter(({ dedupe }) => !written.has(dedupe));
    }
    throw new Error(`could not add to the ledger of ${accountId}: others always did first`);
  }

  #chain(accountId: string, last: LedgerEntry | undefined, postings: readonly Posting[], price: Price) {
    const writtenAt = new Date(this.#clock.now());
    let standing: Standing = { balanceMicros: last?.balanceMicros ?? 0, trialMinutes: last?.trialMinutes ?? 0 };
    let seq = last?.seq ?? 0;
    const entries: LedgerEntry[] = [];
    const refused: Posting[] = [];
    for (const posting of postings) {
      const priced = price(standing, posting);
      if (priced === undefined) {
        refused.push(posting);
        continue;
      }
      seq++;
      standing = {
        balanceMicros: standing.balanceMicros + priced.amountMicros,
        trialMinutes: standing.trialMinutes + (priced.trial === true ? 1 : 0),
      };
      const _id = `${accountId}/${String(seq).padStart(12, '0')}`;
      entries.push({ _id, accountId, seq, writtenAt, ...posting, amountMicros: priced.amountMicros, ...standing });
    }
    return { entries, refused, standing };
  }
}
