import type { Clock } from '../../kit/clock.js';
import { KeyedLock } from '../../kit/keyed-lock.js';
import { type LedgerEntry, type LedgerStore, lineId } from '../store/ledger.js';
import { holdsAfter, unlapsed } from './holds.js';
import type { Posting, Price, Standing } from './postings.js';

/** How often an append may lose to other instances before something else must be wrong. */
const APPEND_TRIES = 50;

/** Notified of the lines `first` to `last` of an account. The lines are durable; so it reports its own failures elsewhere. */
export type LinesAdded = (accountId: string, first: number, last: number) => Promise<void>;

/**
 * Adds lines to ledgers. A line is the successor of the last one by its `_id`, so of two that claim to follow the same line one is
 * refused and reads it again: balances are exact without transactions, with any number of writers. Its `dedupe` is unique, so its purpose is
 * charged at most once, also after a crash in between. Appends of one account wait for each other in this process, so that it does not
 * race itself.
 */
export class Ledger {
  readonly #store: LedgerStore;
  readonly #clock: Clock;
  readonly #added: LinesAdded;
  readonly #lock = new KeyedLock();

  /** `added` is called once lines have been added, which later appends of the same account wait for. */
  constructor(store: LedgerStore, clock: Clock, added: LinesAdded = async () => undefined) {
    this.#store = store;
    this.#clock = clock;
    this.#added = added;
  }

  async standing(accountId: string): Promise<Standing> {
    return this.#standingAfter(await this.#store.findLast(accountId));
  }

  /** Returns the lines that `post` would add after `last`, those that it would refuse, and the standing after them. Writes nothing. */
  preview(accountId: string, last: LedgerEntry | undefined, postings: readonly Posting[], price: Price) {
    const writtenAt = new Date(this.#clock.now());
    let standing = this.#standingAfter(last);
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
        holds: holdsAfter(standing.holds, posting),
      };
      const { balanceMicros, trialMinutes, holds } = standing;
      entries.push({
        _id: lineId(accountId, seq),
        ...{ accountId, seq, writtenAt, ...posting, amountMicros: priced.amountMicros, balanceMicros, trialMinutes },
        ...(holds.length > 0 && { holds: [...holds] }),
      });
    }
    return { entries, refused, standing };
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
      const { entries, refused, standing } = this.preview(accountId, last, rest, price);
      if (entries.length === 0 || (await this.#store.insert(entries))) {
        if (entries.length > 0) await this.#added(accountId, (last?.seq ?? 0) + 1, (last?.seq ?? 0) + entries.length);
        // A posting that seems beyond the balance may have been written before, by another instance or before a crash.
        const written = await this.#store.findWritten(refused.map(({ dedupe }) => dedupe));
        return { standing, refused: refused.filter(({ dedupe }) => !written.has(dedupe)) };
      }
      const written = await this.#store.findWritten(rest.map(({ dedupe }) => dedupe));
      rest = rest.filter(({ dedupe }) => !written.has(dedupe));
    }
    throw new Error(`could not add to the ledger of ${accountId}: others always did first`);
  }

  #standingAfter(last: LedgerEntry | undefined): Standing {
    const { balanceMicros = 0, trialMinutes = 0, holds = [] } = last ?? {};
    return { balanceMicros, trialMinutes, holds: unlapsed(holds, this.#clock.now()) };
  }
}
