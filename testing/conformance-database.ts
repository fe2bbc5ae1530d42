import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient, type Collection, type Db, type Document, type Long, type ObjectId } from 'mongodb';
import '../kit/db/mended-driver.js';
import { silentLog } from '../kit/log/log.js';
import { startEmbeddedMongo, type EmbeddedMongo } from '../embedded-mongo/embedded-mongo.js';

/** The database that a suite runs against. Only tests and their hooks may use it. */
export interface TestDatabase {
  readonly db: Db;
  readonly client: MongoClient;
  readonly url: string;
  /** Returns a collection with a name that was not used before. */
  fresh(): Collection<TestDocument>;
}

/** Any fields, and an `_id` that need not be an ObjectId. */
export interface TestDocument extends Document {
  _id?: string | number | ObjectId;
}

/**
 * Registers hooks that start a server and connect the official driver to it, once for the suite that calls this function.
 *
 * @param url The URL of a real MongoDB (MONGODB_URL), with which the suite must pass too. Absent: the embedded server is used.
 */
export function useDatabase(url: string | undefined): TestDatabase {
  let server: EmbeddedMongo | undefined;
  let directory: string | undefined;
  let client: MongoClient | undefined;
  let serial = 0;
  const name = `conformance_${process.pid}`;

  before(async () => {
    if (url === undefined) {
      directory = await mkdtemp(join(tmpdir(), 'embedded-mongo-'));
      server = await startEmbeddedMongo({ directory, log: silentLog });
    }
    client = await MongoClient.connect(url ?? server?.url ?? '', { maxPoolSize: 50 });
    if (url !== undefined) await client.db(name).dropDatabase();
  });

  after(async () => {
    if (url !== undefined) await client?.db(name).dropDatabase();
    await client?.close();
    await server?.close();
    if (directory !== undefined) await rm(directory, { recursive: true });
  });

  return {
    get client(): MongoClient {
      if (client === undefined) throw new Error('the database is there in tests and hooks only');
      return client;
    },
    get db(): Db {
      return this.client.db(name);
    },
    get url(): string {
      return url ?? server?.url ?? '';
    },
    fresh() {
      return this.db.collection<TestDocument>(`c${++serial}`);
    },
  };
}

/** The values of one field of each document. */
export function valuesOf(documents: readonly Document[], field: string): unknown[] {
  return documents.map((document) => document[field] as unknown);
}

/** The cursor in the reply of a raw command. */
export interface CursorReply extends Document {
  readonly cursor: {
    readonly id: Long | number;
    readonly firstBatch: readonly Document[];
    readonly nextBatch: readonly Document[];
  };
}

/**
 * Returns the error with which a promise rejects, typed with the fields of a server's error that tests compare. Fails when the promise
 * resolves.
 */
export async function errorOf(promise: Promise<unknown>): Promise<ServerError> {
  try {
    await promise;
  } catch (error) {
    return error as ServerError;
  }
  throw new Error('expected an error, and there was none');
}

export interface ServerError extends Error {
  readonly code?: number | string;
  readonly codeName?: string;
  readonly keyPattern?: unknown;
  readonly keyValue?: unknown;
  readonly insertedCount?: number;
  readonly writeErrors?: readonly { readonly code: number; readonly index: number }[];
}
