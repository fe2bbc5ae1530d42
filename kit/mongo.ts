import { type Db, MongoClient, MongoServerError } from 'mongodb';
import type { Log } from './log.js';
import type { Check } from './ops/readiness.js';

export interface MongoConnection {
  database: Db;
  close(): Promise<void>;
}

/** How long an operation waits for a server that can take it before it fails, ms. */
const SERVER_SELECTION_MS = 5_000;

/**
 * Connects through the official driver. The code keeps to a portable subset (see docs/adr/0002-embedded-mongo.md): atomic updates
 * of single documents and unique indexes; so writes are never retried by the driver behind our back, and each is acknowledged by
 * a majority.
 */
export async function connectMongo(options: { url: string; database?: string; log: Log }): Promise<MongoConnection> {
  const client = new MongoClient(options.url, {
    appName: 'cloudphone',
    retryWrites: false,
    retryReads: false,
    writeConcern: { w: 'majority' },
    serverSelectionTimeoutMS: SERVER_SELECTION_MS,
    ignoreUndefined: true,
    maxPoolSize: 50,
  });
  try {
    await client.connect();
  } catch (error) {
    await client.close();
    options.log.debug({ err: error }, 'database connection failed');
    throw new Error(`MongoDB does not answer at ${withoutCredentials(options.url)}. Check MONGODB_URL.`, {
      cause: error,
    });
  }
  return { database: client.db(options.database ?? 'cloudphone'), close: () => client.close() };
}

/** Whether the database answers, its primary when it has several members. */
export function answersAt(database: Db): Check {
  return (signal) => database.command({ ping: 1 }, { signal });
}

/** Whether `error` says that a unique index refused a document. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 11_000;
}

function withoutCredentials(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//');
}
