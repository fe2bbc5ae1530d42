import type { Clock } from '../../../kit/async/clock.js';
import { KeyedLock } from '../../../kit/async/keyed-lock.js';
import { type LedgerEntry, type LedgerStore, lineId } from '../../store/ledger.js';
import { holdsAfter, unlapsed } from './holds.js';
import type { Posting, Price, Standing } from './postings.js';

/** How often an append is tried while other instances are faster. If the last try fails too, something else is wrong. */
const APPEND_TRIES = 50;

/**
 * A callback that is notified when the lines `first` to `last` were added to an account. The lines are durable by then, so the callback
 * must not reject: it reports its failures elsewhere.
 */
export type LinesAdded = (accountId: string, first: number, last: number) => Promise<void>;

/**
 * Adds lines to ledgers. The `_id` of a line contains its number in the ledger. When two writers add a line with the same number, one is
 * refused, and reads the ledger again. So balances are exact without transactions, with any number of writers.
 *
 * The `dedupe` of a line names what the line is for, and is unique. So nothing is charged twice, even after a crash. Appends to one account
 * wait for each other in this process, so that the process does not compete with itself.
 */
export class Ledger {
  readonly #store: LedgerStore;
  readonly #clock: Clock;
  readonly #added: LinesAdded;
  readonly #lock = new KeyedLock();

  /** `added` is called once lines have been added; later appends to the same account wait for it. */
  constructor(store: LedgerStore, clock: Clock, added: LinesAdded = async () => undefined) {
    this.#store = store;
    this.#clock = clock;
    this.#added = added;
  }

  async standing(accountId: string): Promise<Standing> {
    return this.#standingAfter(await this.#store.findLast(accountId));
  }

  /**
   * Returns the lines that `post` would add after `last`, the postings that it would refuse, and the standing after them. Writes nothing.
   */
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
   * Adds `postings` in their order. Postings that were written before are left as they are, and postings that `price` refuses are
   * returned. Once this returns, the others are durable.
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
        // A posting that `price` refused may be in the ledger already: another instance wrote it, or this one before a crash.
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
