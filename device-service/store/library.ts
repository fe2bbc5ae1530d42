import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';
import { insertNew } from './insert-new.js';

/**
 * An app of an account's library. Its file is stored by its checksum, on one host or several (store/library-copies.ts).
 *
 * The document is written after its file, and removed before it. So a file that no document and no job names can be removed
 * (devices/library/sweep-library.ts).
 */
export interface LibraryAppDocument {
  /** `<account>/<name>`. */
  _id: string;
  accountId: string;
  name: string;
  /** Android's name of the app. */
  package: string;
  /** The version for people; may be empty. */
  version: string;
  sizeBytes: number;
  /** SHA-256 of the file, in hexadecimal. */
  sha256: string;
  uploadedAt: Date;
  /** When an install of it was last accepted. Absent: never. */
  lastUsedAt?: Date;
  /** The later one of its upload and its last use. An app of which this is long ago is removed. */
  idleSince: Date;
}

/** What an upload writes of an app. */
export type NewLibraryApp = Omit<LibraryAppDocument, '_id' | 'lastUsedAt' | 'idleSince'>;

export class LibraryStore {
  readonly #apps: Collection<LibraryAppDocument>;

  constructor(database: Db) {
    this.#apps = database.collection<LibraryAppDocument>('library');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#apps, [
      { key: { accountId: 1, name: 1 }, name: 'account_name' },
      { key: { sha256: 1, accountId: 1 }, name: 'file' },
      { key: { idleSince: 1 }, name: 'idle' },
    ]);
  }

  /** Stores an app, in place of one that had the name. The time of the name's last use stays. */
  async put(app: NewLibraryApp): Promise<LibraryAppDocument> {
    const stored = await this.#apps.findOneAndUpdate(
      { _id: libraryId(app.accountId, app.name) },
      { $set: { ...app, idleSince: app.uploadedAt } },
      { upsert: true, returnDocument: 'after' },
    );
    if (stored === null) throw new Error(`the app ${app.name} was stored and is not there`);
    return stored;
  }

  find(accountId: string, name: string): Promise<LibraryAppDocument | null> {
    return this.#apps.findOne({ _id: libraryId(accountId, name) });
  }

  /** Returns the account's apps by name, after `afterName`. */
  list(accountId: string, limit: number, afterName?: string): Promise<LibraryAppDocument[]> {
    return this.#apps
      .find({ accountId, ...(afterName !== undefined && { name: { $gt: afterName } }) })
      .sort({ name: 1 })
      .limit(limit)
      .toArray();
  }

  /** Returns how many apps the account has, counted up to `most`. */
  count(accountId: string, most: number): Promise<number> {
    return this.#apps.countDocuments({ accountId }, { limit: most });
  }

  /** Returns how many of the account's apps have the file, counted up to 2. */
  countOfFile(accountId: string, sha256: string): Promise<number> {
    return this.#apps.countDocuments({ accountId, sha256 }, { limit: 2 });
  }

  /** Returns the files of the account with their sizes, each once. */
  async files(accountId: string): Promise<Map<string, number>> {
    const apps = await this.#apps.find({ accountId }, { projection: { sha256: 1, sizeBytes: 1 } }).toArray();
    return new Map(apps.map(({ sha256, sizeBytes }) => [sha256, sizeBytes]));
  }

  /** Returns the room that the account's files take, each counted once. */
  async storageBytes(accountId: string): Promise<number> {
    return [...(await this.files(accountId)).values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  /** Returns those of the files that an app of any account has. */
  async findUsed(files: readonly string[]): Promise<Set<string>> {
    const apps = await this.#apps.find({ sha256: { $in: [...files] } }, { projection: { sha256: 1 } }).toArray();
    return new Set(apps.map(({ sha256 }) => sha256));
  }

  /** Notes that an install of the app was accepted, unless the app has another file by now. */
  async noteUse(accountId: string, name: string, sha256: string, now: Date): Promise<void> {
    await this.#apps.updateOne(
      { _id: libraryId(accountId, name), sha256 },
      { $set: { lastUsedAt: now, idleSince: now } },
    );
  }

  /** Returns apps of all accounts that were neither uploaded nor used since `before`, the longest unused first. */
  findIdle(before: Date, limit: number): Promise<LibraryAppDocument[]> {
    return this.#apps
      .find({ idleSince: { $lt: before } })
      .sort({ idleSince: 1 })
      .limit(limit)
      .toArray();
  }

  /** Removes an app that was not used since it was read. Returns whether it did. */
  async removeIdle({ _id, idleSince }: LibraryAppDocument): Promise<boolean> {
    return (await this.#apps.deleteOne({ _id, idleSince })).deletedCount === 1;
  }

  /** Lets an app count as used at `now`, although no install was accepted, unless it was used since it was read. */
  async postpone({ _id, idleSince }: LibraryAppDocument, now: Date): Promise<void> {
    await this.#apps.updateOne({ _id, idleSince }, { $set: { idleSince: now } });
  }

  /** Removes an app. Returns whether there was one. */
  async delete(accountId: string, name: string): Promise<boolean> {
    return (await this.#apps.deleteOne({ _id: libraryId(accountId, name) })).deletedCount === 1;
  }

  /** Puts an app back that was deleted, unless its name has another one by now. */
  async putBack(app: LibraryAppDocument): Promise<void> {
    await insertNew(this.#apps, app);
  }

  async deleteAll(accountId: string): Promise<void> {
    await this.#apps.deleteMany({ accountId });
  }
}

function libraryId(accountId: string, name: string): string {
  return `${accountId}/${name}`;
}
