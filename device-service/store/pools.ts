import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';
import type { PlanWord, DeviceProblem } from './device-document.js';
import type { GroupMaker } from './groups.js';

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
  description: PoolDescription;
  /** Grows with each change of the description. */
  version: number;
  ready: number;
  most: number;
  createdAt: Date;
  /** The process that makes and deletes its phones at present (kit/db/leases.ts). */
  runId?: string;
  leaseUntil?: Date;
  /** What keeps the pool from its number, the number of tries that failed in a row, and when it tries again. */
  problem?: DeviceProblem;
  failures?: number;
  retryAt?: Date;
  /** The minutes of a UTC day that its phones ran before they were leased. */
  warm?: { day: string; minutes: number };
  /** The pool is being deleted: it exists until its last phone is gone. */
  deleting?: true;
}

export class PoolStore {
  readonly #pools: Collection<PoolDocument>;

  constructor(database: Db) {
    this.#pools = database.collection<PoolDocument>('pools');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#pools, [
      { key: { nameKey: 1 }, name: 'name', unique: true, sparse: true },
      { key: { accountId: 1, name: 1 }, name: 'account_name' },
    ]);
  }

  /** Returns the names of the account's pools that make their phones from the template. */
  usersOfTemplate(accountId: string, template: string): Promise<string[]> {
    return this.#names({ accountId, 'description.template': template });
  }

  /** Returns the names of the account's pools that install the app, named as callers name it. */
  usersOfApp(accountId: string, app: string): Promise<string[]> {
    return this.#names({ accountId, 'description.apps': app });
  }

  async #names(filter: Parameters<Collection<PoolDocument>['find']>[0]): Promise<string[]> {
    const found = await this.#pools
      .find({ ...filter, deleting: { $exists: false } }, { projection: { name: 1 } })
      .sort({ name: 1 })
      .toArray();
    return found.map(({ name }) => name);
  }
}
