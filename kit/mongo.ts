import { type Db, MongoBulkWriteError, MongoClient, MongoServerError, ReadPreference, type WriteError } from 'mongodb';
import './mended-driver.js';
import type { Log } from './log.js';
import type { Check } from './ops/readiness.js';

export interface MongoConnection {
  database: Db;
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly url: string;
  /** Default `cloudphone`. */
  readonly database?: string;
  readonly log: Log;
}

/**
 * How long a server may be searched, a connection waited for, or a reply be late, each, ms. The driver has no limit for a whole
 * operation; it tries twice, and an attempt on a database that is away or stopped spends one of the three. So a caller has its 503
 * within 5 s, also when the database takes connections and bytes and replies to nothing.
 */
const ATTEMPT_MS = 2_000;

/**
 * How often a server reports to the driver without a change, ms; a change is reported at once. A server that misses one for
 * longer than connecting may take is cut off, so a stopped database is noticed also without queries.
 */
const HEARTBEAT_MS = 1_000;

/**
 * Connects through the official driver, with the options that all our state relies on, whatever the URL says (see
 * docs/adr/0018-database-connection.md): reads from the primary, writes acknowledged by a majority, and both done again by the driver
 * when the connection or the primary is lost. The server does a write that is sent again once.
 */
export async function connectMongo(options: ConnectOptions): Promise<MongoConnection> {
  const client = createClient(options.url);
  try {
    await client.connect();
  } catch (error) {
    await client.close();
    options.log.debug({ err: error }, 'database connection failed');
    throw new Error(`MongoDB does not respond at ${withoutSecrets(options.url)}. Check MONGODB_URL.`, {
      cause: error,
    });
  }
  return connectionOf(client, options.database);
}

/** The same, without waiting for the database: the first operation connects, or a later one. For parts that work without it. */
export function openMongo(options: Pick<ConnectOptions, 'url' | 'database'>): MongoConnection {
  return connectionOf(createClient(options.url), options.database);
}

function createClient(url: string): MongoClient {
  return new MongoClient(url, {
    appName: 'cloudphone',
    ...RELIABLE,
    retryWrites: true,
    retryReads: true,
    serverSelectionTimeoutMS: ATTEMPT_MS,
    waitQueueTimeoutMS: ATTEMPT_MS,
    connectTimeoutMS: ATTEMPT_MS,
    socketTimeoutMS: ATTEMPT_MS,
    heartbeatFrequencyMS: HEARTBEAT_MS,
    ignoreUndefined: true,
    maxPoolSize: 50,
  });
}

function connectionOf(client: MongoClient, database = 'cloudphone'): MongoConnection {
  // Set again on the database: the URL's options for reads (tags, staleness) are mixed into the client's own.
  return { database: client.db(database, RELIABLE), close: () => client.close() };
}

const RELIABLE = {
  readPreference: ReadPreference.primary,
  writeConcern: { w: 'majority' },
} as const;

/** The same database for counters, which may lose their last seconds. */
export function forCounters(database: Db): Db {
  return database.client.db(database.databaseName, { ...RELIABLE, writeConcern: { w: 1 } });
}

/** Checks that the database responds; of a replica set, its primary. */
export function isReachable(database: Db): Check {
  return (signal) => database.command({ ping: 1 }, { signal });
}

const DUPLICATE_KEY = 11_000;

/** Whether `error` is that a unique index refused a document. Of a write of several documents it describes only the first error. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

/**
 * Returns the errors of single documents in an unordered write of several; all other documents have been written. Throws `error` again
 * when any of them may not have been: the driver wraps every failure of such a write in a MongoBulkWriteError, also that of a lost
 * connection or a full disk, which then contains no errors of single documents.
 */
export function documentErrors(error: unknown): { index: number; isDuplicate: boolean; message: string }[] {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined) throw error;
  const errors: readonly WriteError[] = [error.writeErrors].flat();
  if (errors.length === 0) throw error;
  return errors.map(({ index, code, errmsg }) => ({
    index,
    isDuplicate: code === DUPLICATE_KEY,
    message: errmsg ?? 'the document was not written',
  }));
}

/** Without the login, and without the options, which can hold the password of a key file. */
function withoutSecrets(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//').replace(/\?.*/, '');
}
