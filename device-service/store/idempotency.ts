import type { Binary, Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/put-indexes.js';
import type { ErrorKind } from '../../kit/errors.js';
import { insertNew } from './insert-new.js';

/** A request that was sent with an Idempotency-Key, see idempotency/once.ts. */
export interface IdempotencyDocument {
  /** `<API key>/<SHA-256 of the Idempotency-Key>`. */
  _id: string;
  /** SHA-256 of the request. */
  fingerprint: string;
  /** Ids of the things that the request makes, chosen before it makes them, so that a repetition makes the same. */
  phoneId: string;
  jobId: string;
  /** The request that works on it has until then; after that another may take over. */
  runUntil: Date;
  /** How it ended: the response's bytes, or an error. Absent: it has not. */
  outcome?: { answer: Binary } | { error: { kind: ErrorKind; message: string } };
  expiresAt: Date;
}

export class IdempotencyStore {
  readonly #requests: Collection<IdempotencyDocument>;

  constructor(database: Db) {
    this.#requests = database.collection<IdempotencyDocument>('idempotency');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#requests, [{ key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 }]);
  }

  /** Returns false when the key was used before. */
  insert(request: IdempotencyDocument): Promise<boolean> {
    return insertNew(this.#requests, request);
  }

  find(id: string): Promise<IdempotencyDocument | null> {
    return this.#requests.findOne({ _id: id });
  }

  /** Takes over a request whose time is up. Returns false when another was faster. */
  async take(read: IdempotencyDocument, runUntil: Date): Promise<boolean> {
    const { matchedCount } = await this.#requests.updateOne(
      { _id: read._id, runUntil: read.runUntil, outcome: { $exists: false } },
      { $set: { runUntil } },
    );
    return matchedCount === 1;
  }

  /** Writes how it ended; the first outcome stays. Returns false when there was one before. */
  async end(id: string, outcome: NonNullable<IdempotencyDocument['outcome']>): Promise<boolean> {
    const { matchedCount } = await this.#requests.updateOne(
      { _id: id, outcome: { $exists: false } },
      { $set: { outcome } },
    );
    return matchedCount === 1;
  }

  /** Lets others try at once. */
  async release(id: string): Promise<void> {
    await this.#requests.updateOne({ _id: id, outcome: { $exists: false } }, { $set: { runUntil: new Date(0) } });
  }

  /** Forgets one whose time is over before the sweeper has. */
  async forgetExpired(id: string, now: Date): Promise<void> {
    await this.#requests.deleteOne({ _id: id, expiresAt: { $lte: now } });
  }
}
