import type { Binary, Collection, Db } from 'mongodb';
import { Leases } from '../../kit/db/leases.js';
import { putIndexes } from '../../kit/db/put-indexes.js';
import type { ErrorKind } from '../../kit/errors/api-error.js';
import { insertNew } from './insert-new.js';

/** A request that was sent with an Idempotency-Key, see devices/idempotency/once.ts. */
export interface IdempotencyDocument {
  /** `<API key>/<SHA-256 of the Idempotency-Key>`. */
  _id: string;
  /** SHA-256 of the request. */
  fingerprint: string;
  /** Ids of the things that the request makes. They are chosen before it makes them, so that a repetition makes the same things. */
  phoneId: string;
  jobId: string;
  /** The end of the lease of the process that works on the request. After that, another may take over. */
  runUntil: Date;
  /** The outcome: the response's bytes, or an error. Absent: the request has not ended. */
  outcome?: { answer: Binary } | { error: { kind: ErrorKind; message: string } };
  expiresAt: Date;
}

export class IdempotencyStore {
  readonly #requests: Collection<IdempotencyDocument>;
  readonly #leases: Leases<IdempotencyDocument, 'runUntil'>;

  constructor(database: Db) {
    this.#requests = database.collection<IdempotencyDocument>('idempotency');
    this.#leases = new Leases(this.#requests, { leaseUntil: 'runUntil', fence: ['runUntil'] });
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#requests, [{ key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 }]);
  }

  /** Inserts a request. Returns false when the key was used before. */
  insert(request: IdempotencyDocument): Promise<boolean> {
    return insertNew(this.#requests, request);
  }

  find(id: string): Promise<IdempotencyDocument | null> {
    return this.#requests.findOne({ _id: id });
  }

  /** Takes over a request whose time is up. Returns undefined when another was faster. */
  take(read: IdempotencyDocument, runUntil: Date): Promise<IdempotencyDocument | undefined> {
    return this.#leases.claim(read, { runUntil }, { where: { outcome: { $exists: false } } });
  }

  /** Writes the outcome; the first one stays. Returns false when there was one before. */
  async end(id: string, outcome: NonNullable<IdempotencyDocument['outcome']>): Promise<boolean> {
    const { matchedCount } = await this.#requests.updateOne(
      { _id: id, outcome: { $exists: false } },
      { $set: { outcome } },
    );
    return matchedCount === 1;
  }

  /** Gives the lease back, so that another can take over the request at once. */
  release(taken: IdempotencyDocument): Promise<void> {
    return this.#leases.release([taken]);
  }

  /** Removes an expired request before the database does so. */
  async forgetExpired(id: string, now: Date): Promise<void> {
    await this.#requests.deleteOne({ _id: id, expiresAt: { $lte: now } });
  }
}
