import type { Collection, Db } from 'mongodb';
import { isDuplicateKey } from '../../kit/db/mongo.js';
import { putIndexes } from '../../kit/db/put-indexes.js';

/** One event of an account's log. Events are only ever added at its end, and removed from its beginning. */
export interface EventDocument {
  /** `<account>/<seq>`, with the number padded by zeros. It is unique, so no event has two successors. */
  _id: string;
  accountId: string;
  /** 1 for the first; each is one more than the one before. */
  seq: number;
  /** Chosen by the publisher; unique in the account, so that publishing an event again adds nothing. */
  eventId: string;
  type: string;
  /** Name of the device; empty for a group. */
  device: string;
  deviceCreatedBy: string;
  /** The labels that the device had, as `key:value`. Absent: it had none. */
  deviceLabels?: string[];
  /** The event's data, byte for byte. */
  payload: Buffer;
  /**
   * When the event may be removed. Absent: the event has expired, but stays as the last of its account. The next number follows from it.
   */
  expiresAt?: Date;
}

/** The events collection: a log for each account. */
export class EventStore {
  readonly #events: Collection<EventDocument>;

  constructor(database: Db) {
    this.#events = database.collection<EventDocument>('events', { promoteBuffers: true });
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#events, [
      { key: { accountId: 1, eventId: 1 }, name: 'event', unique: true },
      { key: { expiresAt: 1 }, name: 'expires', sparse: true },
    ]);
  }

  /** Returns the number of the last event; 0 when there is no event. */
  async findLastSeq(accountId: string): Promise<number> {
    return this.#endOf(accountId, -1);
  }

  /** Returns the number of the first event that is kept; 0 when there is no event. */
  async findFirstSeq(accountId: string): Promise<number> {
    return this.#endOf(accountId, 1);
  }

  /**
   * Adds events in their order. Returns false when one of them, or the number that it claims, is there already. The events before that one
   * were added.
   */
  async insert(events: readonly EventDocument[]): Promise<boolean> {
    try {
      await this.#events.insertMany([...events], { ordered: true });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** Returns those of `eventIds` that are in the log. */
  async findWritten(accountId: string, eventIds: readonly string[]): Promise<Set<string>> {
    const found = await this.#events
      .find({ accountId, eventId: { $in: [...eventIds] } }, { projection: { eventId: 1 } })
      .toArray();
    return new Set(found.map(({ eventId }) => eventId));
  }

  /** Returns the events after number `seq`, in their order. */
  listAfter(accountId: string, seq: number, limit: number): Promise<EventDocument[]> {
    return this.#events
      .find({ _id: { $gt: eventKey(accountId, seq), $lt: `${accountId}0` } })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
  }

  /** Returns which of `ids` are `_id`s of events in the log. */
  async findThere(ids: readonly string[]): Promise<Set<string>> {
    const found = await this.#events.find({ _id: { $in: [...ids] } }, { projection: { accountId: 1 } }).toArray();
    return new Set(found.map(({ _id }) => _id));
  }

  /** Returns events whose time is over, the oldest first, at most `limit`. */
  findExpired(now: Date, limit: number): Promise<Pick<EventDocument, '_id' | 'accountId' | 'seq'>[]> {
    return this.#events
      .find({ expiresAt: { $lte: now } }, { projection: { accountId: 1, seq: 1 } })
      .sort({ expiresAt: 1 })
      .limit(limit)
      .toArray();
  }

  /** Removes the events of an account up to number `seq`. */
  async removeThrough(accountId: string, seq: number): Promise<void> {
    await this.#events.deleteMany({ _id: { $gt: `${accountId}/`, $lte: eventKey(accountId, seq) } });
  }

  /** Removes the time of expiry from the last event, so that it stays. It is removed later together with a newer event. */
  async keepLast(accountId: string, seq: number): Promise<void> {
    await this.#events.updateOne({ _id: eventKey(accountId, seq) }, { $unset: { expiresAt: '' } });
  }

  async #endOf(accountId: string, direction: 1 | -1): Promise<number> {
    // '0' is the character after '/', so this is the whole account and nothing else.
    const [found] = await this.#events
      .find({ _id: { $gt: `${accountId}/`, $lt: `${accountId}0` } }, { projection: { seq: 1 } })
      .sort({ _id: direction })
      .limit(1)
      .toArray();
    return found?.seq ?? 0;
  }
}

/** The `_id` of an event. */
export function eventKey(accountId: string, seq: number): string {
  return `${accountId}/${String(seq).padStart(12, '0')}`;
}
