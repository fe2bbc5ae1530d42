import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';

/**
 * A host's copy of a file of the libraries. Accounts that uploaded the same file share it.
 *
 * The document is written after the file is whole on the host's disk, and removed before it. The sweep of the host brings both to agree
 * (devices/library/sweep-library.ts).
 */
export interface LibraryCopyDocument {
  /** `<sha256>/<host>`. */
  _id: string;
  sha256: string;
  hostId: string;
  sizeBytes: number;
}

export class LibraryCopyStore {
  readonly #copies: Collection<LibraryCopyDocument>;

  constructor(database: Db) {
    this.#copies = database.collection<LibraryCopyDocument>('library_copies');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#copies, [
      { key: { sha256: 1 }, name: 'file' },
      { key: { hostId: 1, sha256: 1 }, name: 'host_file' },
    ]);
  }

  /** Notes that the host has the whole file. Noting it again changes nothing. */
  async note(copy: Omit<LibraryCopyDocument, '_id'>): Promise<void> {
    await this.#copies.updateOne({ _id: copyId(copy) }, { $set: copy }, { upsert: true });
  }

  /** Returns the copies of a file, at most one for each host. */
  find(sha256: string): Promise<LibraryCopyDocument[]> {
    return this.#copies.find({ sha256 }).sort({ hostId: 1 }).toArray();
  }

  /** Returns the checksums of the files that a host has, after `after`. */
  async listOfHost(hostId: string, limit: number, after?: string): Promise<string[]> {
    const copies = await this.#copies
      .find({ hostId, ...(after !== undefined && { sha256: { $gt: after } }) })
      .sort({ sha256: 1 })
      .limit(limit)
      .toArray();
    return copies.map(({ sha256 }) => sha256);
  }

  async forget(copy: Pick<LibraryCopyDocument, 'sha256' | 'hostId'>): Promise<void> {
    await this.#copies.deleteOne({ _id: copyId(copy) });
  }

  /** Forgets the copies of a host that is gone with its disk. */
  async forgetHost(hostId: string): Promise<void> {
    await this.#copies.deleteMany({ hostId });
  }
}

function copyId({ sha256, hostId }: Pick<LibraryCopyDocument, 'sha256' | 'hostId'>): string {
  return `${sha256}/${hostId}`;
}
