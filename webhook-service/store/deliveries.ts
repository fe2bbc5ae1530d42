import type { AnyBulkWriteOperation, Collection, Db, UpdateFilter } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';
import { documentErrors } from '../../kit/db/mongo.js';
import { MAX_ATTEMPTS, KEPT_DAYS, RESPONSE_KEPT_BYTES } from '../limits.js';
import { Batches } from './batches.js';
import type { AttemptRecord, DeliveryDocument, DeliveryStateWord } from './delivery-document.js';
import { urlDigest } from './url-digest.js';

/** A delivery that may be claimed. */
export type DueDelivery = Pick<DeliveryDocument, '_id' | 'url'>;

/** The state of a delivery after an attempt. */
export type NextState = { state: 'delivered' | 'failed' } | { state: 'pending'; dueAt: Date };

/** The end of an attempt. */
export type AttemptEnd = NextState & { record: AttemptRecord; response: string };

/** The deliveries that a caller may see. */
export interface Owner {
  accountId: string;
  /** Absent: the deliveries of all keys. */
  keyId?: string;
  /** Absent: the deliveries to keys of all members, and of the account. */
  memberId?: string;
}

/** Deliveries to keys that members have made. */
const OF_MEMBERS = { memberId: { $exists: true } };

const MAX_BATCH_ITEMS = 500;
const MAX_BATCH_BYTES = 8 * 1024 * 1024;
/** One batch at a time. The items that wait meanwhile make the next one large, and share the cost of its flush to the disk. */
const MAX_BATCHES = 1;

/** Stores deliveries in one collection, which is their queue too. Only this class uses the database driver. */
export class DeliveryStore {
  readonly #deliveries: Collection<DeliveryDocument>;
  readonly #inserts: Batches<DeliveryDocument, 'inserted' | 'known'>;
  readonly #ends: Batches<AnyBulkWriteOperation<DeliveryDocument>, 'done'>;

  constructor(database: Db) {
    this.#deliveries = database.collection<DeliveryDocument>('deliveries', { promoteBuffers: true });
    const size = { maxItems: MAX_BATCH_ITEMS, maxBytes: MAX_BATCH_BYTES, maxBatches: MAX_BATCHES };
    this.#inserts = new Batches({
      ...size,
      run: (all) => this.#insertAll(all),
      bytesOf: ({ body }) => body.length + 1_000,
    });
    this.#ends = new Batches({ ...size, run: (all) => this.#endAll(all), bytesOf: () => 1_000 + RESPONSE_KEPT_BYTES });
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#deliveries, [
      { key: { eventId: 1, keyId: 1 }, name: 'event', unique: true },
      { key: { nextAt: 1 }, name: 'next', sparse: true },
      { key: { keyId: 1, _id: -1 }, name: 'key' },
      { key: { accountId: 1, _id: -1 }, name: 'account' },
      { key: { memberId: 1, _id: -1 }, name: 'member', partialFilterExpression: OF_MEMBERS },
      // Most deliveries succeed, so the state is not in the three indexes above: each would be written again when it changes. Pending and
      // failed deliveries have indexes of their own.
      { key: { keyId: 1, _id: -1 }, name: 'key_failed', partialFilterExpression: { state: 'failed' } },
      { key: { accountId: 1, _id: -1 }, name: 'account_failed', partialFilterExpression: { state: 'failed' } },
      {
        key: { memberId: 1, _id: -1 },
        name: 'member_failed',
        partialFilterExpression: { ...OF_MEMBERS, state: 'failed' },
      },
      { key: { keyId: 1, _id: -1 }, name: 'key_pending', partialFilterExpression: { state: 'pending' } },
      { key: { accountId: 1, _id: -1 }, name: 'account_pending', partialFilterExpression: { state: 'pending' } },
      {
        key: { memberId: 1, _id: -1 },
        name: 'member_pending',
        partialFilterExpression: { ...OF_MEMBERS, state: 'pending' },
      },
      { key: { urlDigest: 1, nextAt: 1 }, name: 'url_next', partialFilterExpression: { nextAt: { $exists: true } } },
      { key: { createdAt: 1 }, name: 'expiry', expireAfterSeconds: KEPT_DAYS * 86_400 },
    ]);
  }

  /** Adds the digest of the URL to the pending deliveries of an older release, which do not have it. */
  async addUrlDigests(): Promise<void> {
    const older = { nextAt: { $exists: true }, urlDigest: { $exists: false } };
    for (;;) {
      const found = await this.#deliveries.find(older, { projection: { url: 1 }, limit: MAX_BATCH_ITEMS }).toArray();
      if (found.length === 0) return;
      await this.#endAll(
        found.map(({ _id, url }) => ({
          updateOne: { filter: { _id, url }, update: { $set: { urlDigest: urlDigest(url) } } },
        })),
      );
    }
  }

  /** Adds a delivery, which is durable when this returns. `known`: the event has a delivery for this key already, which stays as it is. */
  insert(delivery: DeliveryDocument): Promise<'inserted' | 'known'> {
    return this.#inserts.add(delivery);
  }

  /** Returns the deliveries that may be claimed at a time from `from` to `to`, soonest first. */
  findDue(from: Date, to: Date): AsyncIterable<DueDelivery> {
    return this.#deliveries
      .find({ nextAt: { $gte: from, $lte: to } }, { projection: { url: 1 }, sort: { nextAt: 1 }, batchSize: 1_000 })
      .map(({ _id, url }) => ({ _id, url }));
  }

  /** Returns deliveries to one URL that may be claimed by `to`, soonest first. */
  findDueOf(url: string, to: Date, limit: number): Promise<DueDelivery[]> {
    return this.#deliveries
      .find(
        { urlDigest: urlDigest(url), url, nextAt: { $lte: to } },
        { projection: { url: 1 }, sort: { nextAt: 1 }, limit },
      )
      .toArray();
  }

  /** Returns the next time after `after` at which a delivery may be claimed. */
  async findNextAt(after: Date): Promise<Date | undefined> {
    const [next] = await this.#deliveries
      .find({ nextAt: { $gt: after } }, { projection: { nextAt: 1 }, sort: { nextAt: 1 }, limit: 1 })
      .toArray();
    return next?.nextAt;
  }

  /**
   * Claims those of `ids` that may be claimed, and returns them. Each delivery changes in one atomic update, and only when its time has
   * come. So when two instances try at the same time, only one gets it.
   */
  async claim(ids: readonly string[], fence: string, now: Date, leaseUntil: Date): Promise<DeliveryDocument[]> {
    const { modifiedCount } = await this.#deliveries.updateMany(
      { _id: { $in: [...ids] }, nextAt: { $lte: now } },
      { $set: { claim: fence, nextAt: leaseUntil } },
    );
    if (modifiedCount === 0) return [];
    return this.#deliveries.find({ _id: { $in: [...ids] }, claim: fence }).toArray();
  }

  /** Writes down how an attempt ended. Changes nothing when another instance has claimed the delivery. */
  async end({ _id, claim, left }: DeliveryDocument, end: AttemptEnd): Promise<void> {
    const push = {
      attempts: { $each: [end.record], $slice: -MAX_ATTEMPTS },
      responses: { $each: [end.response], $slice: -MAX_ATTEMPTS },
    };
    const update: UpdateFilter<DeliveryDocument> =
      end.state === 'pending'
        ? { $set: { left: left - 1, dueAt: end.dueAt, nextAt: end.dueAt }, $unset: { claim: '' } }
        : { $set: { state: end.state, left: 0 }, $unset: { claim: '', dueAt: '', nextAt: '' } };
    await this.#ends.add({
      updateOne: { filter: claimed(_id, claim), update: { ...update, $inc: { made: 1 }, $push: push } },
    });
  }

  /** Gives back a delivery whose attempt was cut short. It is due at the same time as before. */
  async release({ _id, claim, dueAt, createdAt }: DeliveryDocument): Promise<void> {
    await this.#ends.add({
      updateOne: {
        filter: claimed(_id, claim),
        update: { $set: { nextAt: dueAt ?? createdAt }, $unset: { claim: '' } },
      },
    });
  }

  find(owner: Owner, id: string): Promise<DeliveryDocument | null> {
    return this.#deliveries.findOne({ _id: id, ...owner });
  }

  /** Returns deliveries with ids from `fromId` on and before `beforeId`, newest first. Their bodies and responses are left out. */
  async list(query: {
    owner: Owner;
    state: DeliveryStateWord | undefined;
    fromId?: string | undefined;
    beforeId: string | undefined;
    limit: number;
  }): Promise<DeliveryDocument[]> {
    const { owner, state, fromId, beforeId, limit } = query;
    const ids = {
      ...(fromId !== undefined && { $gte: fromId }),
      ...(beforeId !== undefined && { $lt: beforeId }),
    };
    const filter = {
      ...owner,
      ...(state !== undefined && { state }),
      ...(Object.keys(ids).length > 0 && { _id: ids }),
    };
    const index = owner.keyId !== undefined ? 'key' : owner.memberId !== undefined ? 'member' : 'account';
    const hint = state === 'pending' || state === 'failed' ? `${index}_${state}` : index;
    return this.#deliveries
      .find(filter, { projection: { body: 0, responses: 0 }, sort: { _id: -1 }, limit, hint })
      .toArray();
  }

  /**
   * Makes a finished delivery pending once more, for one attempt at `now`. Returns undefined when the delivery is pending, had all its
   * attempts, or does not belong to the owner.
   */
  async reopen(
    owner: Owner,
    id: string,
    change: { url: string; signature: string; now: Date },
  ): Promise<DeliveryDocument | undefined> {
    const { url, signature, now } = change;
    const reopened = await this.#deliveries.findOneAndUpdate(
      { _id: id, ...owner, state: { $in: ['delivered', 'failed'] }, made: { $lt: MAX_ATTEMPTS } },
      { $set: { url, urlDigest: urlDigest(url), signature, state: 'pending', left: 1, dueAt: now, nextAt: now } },
      { returnDocument: 'after' },
    );
    return reopened ?? undefined;
  }

  /** Returns how many deliveries are pending, and the time since which the oldest unclaimed one is due. */
  async measure(now: Date, signal?: AbortSignal): Promise<{ pending: number; oldestDueAt?: Date }> {
    const pending = await this.#deliveries.countDocuments({ nextAt: { $exists: true } }, { signal });
    const [oldest] = await this.#deliveries
      .find({ nextAt: { $lte: now } }, { projection: { nextAt: 1 }, sort: { nextAt: 1 }, limit: 1, signal })
      .toArray();
    return { pending, ...(oldest?.nextAt !== undefined && { oldestDueAt: oldest.nextAt }) };
  }

  async #insertAll(deliveries: DeliveryDocument[]): Promise<('inserted' | 'known' | Error)[]> {
    const outcomes: ('inserted' | 'known' | Error)[] = deliveries.map(() => 'inserted');
    try {
      await this.#deliveries.insertMany(deliveries, { ordered: false });
    } catch (error) {
      for (const { index, isDuplicate, message } of documentErrors(error)) {
        outcomes[index] = isDuplicate ? 'known' : new Error(message, { cause: error });
      }
    }
    return outcomes;
  }

  async #endAll(operations: AnyBulkWriteOperation<DeliveryDocument>[]): Promise<'done'[]> {
    await this.#deliveries.bulkWrite(operations, { ordered: false });
    return operations.map(() => 'done');
  }
}

function claimed(id: string, claim: string | undefined): { _id: string; claim: string } {
  if (claim === undefined) throw new Error(`delivery ${id} is not claimed`);
  return { _id: id, claim };
}
