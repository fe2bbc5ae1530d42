import { isDeepStrictEqual } from 'node:util';
import type { Collection, Db, Filter } from 'mongodb';
import { type Held, Leases } from '../../kit/db/leases.js';
import { putIndexes } from '../../kit/db/put-indexes.js';
import type { PlanWord } from './device-document.js';
import type { GroupMaker } from './groups.js';
import { insertNew } from './insert-new.js';

/** What the phones of a pool are. */
export interface PoolDescription {
  /** Name of the template that they are made from. Absent: they are made from `model`. */
  template?: string;
  model?: string;
  android?: string;
  network: { type: string; country: string; timezone?: string };
  plan: PlanWord;
  /** Apps to install on each, as callers name them: identifiers of the catalogue, and `my/<name>`. */
  apps: string[];
  /** Labels as `key:value`, in the order of their keys. */
  labels: string[];
}

/** Phones that are kept ready for leases. */
export interface PoolDocument {
  _id: string;
  accountId: string;
  name: string;
  /** `<account>/<name>`, unique; absent once the pool is being deleted, which frees the name. */
  nameKey?: string;
  /** The caller whose rights the making of phones has. */
  maker: GroupMaker;
  /** The key, or the member in a session, that made the pool. It may therefore use the pool. */
  createdBy: string;
  description: PoolDescription;
  /** Grows with each change of the description. */
  version: number;
  ready: number;
  most: number;
  createdAt: Date;
  /** The run that makes and deletes the phones at present, and until when it does so unless it renews the lease. */
  runId: string;
  leaseUntil: Date;
  /** What keeps the pool from its number. Absent: nothing is known to. */
  problem?: PoolProblem;
  /** How many tries to make a phone failed in a row, when the last one did, and when the next one is. Absent: the last one did not fail. */
  failed?: { tries: number; at: Date; retryAt: Date };
  /** The minutes of a UTC day that its phones ran before they were leased. Absent: no phone was leased yet. */
  warm?: { day: string; minutes: number };
  /** The pool is being deleted: it exists until its last phone is gone. */
  deleting?: true;
}

export interface PoolProblem {
  /** An error kind of the API where the making of a phone was refused; `phones` where phones fail; `most` where all phones are leased. */
  kind: string;
  message: string;
  since: Date;
}

/** The fields that a pool's maker chooses. */
export type PoolChange = Pick<PoolDocument, 'description' | 'ready' | 'most' | 'maker'>;

/** One run of the work on a pool. Writes of any other run have no effect. */
export type PoolRun = Held<PoolDocument, 'runId'>;

/** The pools collection. What keeps a pool from its number is written only by the run that has the pool. */
export class PoolStore {
  readonly #pools: Collection<PoolDocument>;
  readonly #leases: Leases<PoolDocument, 'runId'>;

  constructor(database: Db) {
    this.#pools = database.collection<PoolDocument>('pools');
    this.#leases = new Leases(this.#pools, { leaseUntil: 'leaseUntil', fence: ['runId'] });
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#pools, [
      { key: { nameKey: 1 }, name: 'name', unique: true, sparse: true },
      { key: { accountId: 1, name: 1 }, name: 'account_name' },
    ]);
  }

  /** Inserts a pool. Returns false when its name is taken. */
  insert(pool: PoolDocument): Promise<boolean> {
    return insertNew(this.#pools, pool);
  }

  find(id: string): Promise<PoolDocument | null> {
    return this.#pools.findOne({ _id: id });
  }

  findByName(accountId: string, name: string): Promise<PoolDocument | null> {
    return this.#pools.findOne({ nameKey: `${accountId}/${name}` });
  }

  /**
   * Changes a pool that has the version that was read. A new description makes a new version. Returns undefined when the pool has another
   * version by now, or is being deleted.
   */
  async change({ _id, version, description }: PoolDocument, change: PoolChange): Promise<PoolDocument | undefined> {
    const isNew = !isDeepStrictEqual(change.description, description);
    const changed = await this.#pools.findOneAndUpdate(
      { _id, version, deleting: { $exists: false } },
      { $set: change, $inc: { version: isNew ? 1 : 0 }, $unset: { problem: '', failed: '' } },
      { returnDocument: 'after' },
    );
    return changed ?? undefined;
  }

  /** Marks a pool for deletion, which frees its name. */
  async beginDelete(id: string): Promise<void> {
    await this.#pools.updateOne({ _id: id }, { $set: { deleting: true }, $unset: { nameKey: '', problem: '' } });
  }

  /** Removes the pools of an account, which has no devices any more. */
  async deleteAll(accountId: string): Promise<void> {
    await this.#pools.deleteMany({ accountId });
  }

  async forget(id: string): Promise<void> {
    await this.#pools.deleteOne({ _id: id, deleting: true });
  }

  count(accountId: string): Promise<number> {
    return this.#pools.countDocuments(shownOf(accountId));
  }

  /** Returns the account's pools by name, after `afterName`; with `createdBy`, only those that this key or member made. */
  list(query: {
    accountId: string;
    createdBy: string | undefined;
    afterName?: string | undefined;
    limit: number;
  }): Promise<PoolDocument[]> {
    const { accountId, createdBy, afterName, limit } = query;
    return this.#pools
      .find({
        ...shownOf(accountId),
        ...(createdBy !== undefined && { createdBy }),
        ...(afterName !== undefined && { name: { $gt: afterName } }),
      })
      .sort({ name: 1 })
      .limit(limit)
      .toArray();
  }

  /** Returns the pools of all accounts, also those that are being deleted. */
  listAll(): Promise<PoolDocument[]> {
    return this.#pools.find({}).sort({ _id: 1 }).toArray();
  }

  /** Takes the work on a pool over, if nobody has it. Returns undefined when another process was faster. */
  take(read: PoolDocument, lease: Pick<PoolDocument, 'runId' | 'leaseUntil'>): Promise<PoolDocument | undefined> {
    return this.#leases.claim(read, lease);
  }

  /** Moves the end of the lease. Returns false where another run has the pool. */
  async renew(run: PoolRun, leaseUntil: Date): Promise<boolean> {
    return (await this.#leases.renew([run], leaseUntil)) === 1;
  }

  /** Gives the work on pools back, so that the next process continues at once. */
  release(runs: readonly PoolRun[]): Promise<void> {
    return this.#leases.release(runs);
  }

  /**
   * Writes what keeps the pool from its number, and when it tries again; each is removed where it is absent. Nothing is written where another
   * run has the pool, or the pool has another version by now.
   */
  async note(
    { _id, runId, version }: PoolDocument,
    { problem, failed }: Pick<PoolDocument, 'problem' | 'failed'>,
  ): Promise<void> {
    const set = { ...(problem !== undefined && { problem }), ...(failed !== undefined && { failed }) };
    const unset = {
      ...(problem === undefined && { problem: '' as const }),
      ...(failed === undefined && { failed: '' as const }),
    };
    await this.#pools.updateOne(
      { _id, runId, version },
      {
        ...(Object.keys(set).length > 0 && { $set: set }),
        ...(Object.keys(unset).length > 0 && { $unset: unset }),
      },
    );
  }

  /** Adds minutes that a phone ran before it was leased. A new day begins at 0. */
  async addWarm(id: string, day: string, minutes: number): Promise<void> {
    const add = () => this.#pools.updateOne({ _id: id, 'warm.day': day }, { $inc: { 'warm.minutes': minutes } });
    if ((await add()).matchedCount === 1) return;
    const earlier = { _id: id, $or: [{ warm: { $exists: false } }, { 'warm.day': { $lt: day } }] };
    const began = await this.#pools.updateOne(earlier, { $set: { warm: { day, minutes } } });
    // Another call began the day in between.
    if (began.matchedCount === 0) await add();
  }

  /** Returns the names of the account's pools that make their phones from the template. */
  usersOfTemplate(accountId: string, template: string): Promise<string[]> {
    return this.#names({ ...shownOf(accountId), 'description.template': template });
  }

  /** Returns the names of the account's pools that install the app, named as callers name it. */
  usersOfApp(accountId: string, app: string): Promise<string[]> {
    return this.#names({ ...shownOf(accountId), 'description.apps': app });
  }

  async #names(filter: Filter<PoolDocument>): Promise<string[]> {
    const found = await this.#pools
      .find(filter, { projection: { name: 1 } })
      .sort({ name: 1 })
      .toArray();
    return found.map(({ name }) => name);
  }
}

function shownOf(accountId: string): Filter<PoolDocument> {
  return { accountId, deleting: { $exists: false } };
}
