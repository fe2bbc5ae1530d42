import { type Db, MongoBulkWriteError, MongoClient, MongoServerError, ReadPreference, type WriteError } from 'mongodb';
import './mended-driver.js';
import type { Log } from '../log/log.js';
import { type Clock, systemClock } from '../async/clock.js';
import { followLogin } from './followed-login.js';
import { OUT_OF_DISK_SPACE } from '../errors/database-unavailable.js';
import { type Check, OperatorProblem } from '../ops/readiness.js';

export interface MongoConnection {
  database: Db;
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly url: string;
  /** Default `cloudphone`. */
  readonly database?: string;
  /** How long a reply may take, ms; for commands that copy a whole database. Default: 2 s. */
  readonly replyMs?: number;
  /** The file that the URL was read from: its login is followed. Absent: the login stays as it is. */
  readonly urlFile?: string | undefined;
  readonly log: Log;
}

/**
 * The limit, ms, of each of three waits: for a server, for a connection and for a reply. The driver has no limit for a whole operation.
 * The driver tries an operation twice. On a database that is away or stopped, each try ends by one of these limits. So a caller has its 503
 * within 5 s, also when the database takes connections and bytes and replies to nothing.
 */
const ATTEMPT_MS = 2_000;

/**
 * How often a server reports to the driver without a change, ms; a change is reported at once. The driver cuts off a server whose report
 * is late by more than the time limit for connecting. So a stopped database is noticed also without queries.
 */
const HEARTBEAT_MS = 1_000;

/**
 * Connects through the official driver, with the options that all our state relies on, whatever the URL says. Reads are from the primary,
 * and writes are acknowledged by a majority. The driver does both again when the connection or the primary is lost
 * (docs/adr/0018-database-connection.md). A write that is sent again is done once by the server.
 */
export async function connectMongo(options: ConnectOptions): Promise<MongoConnection> {
  const client = createClient(options);
  const login = loginOf(client, options);
  try {
    await client.connect();
  } catch (error) {
    await login?.close();
    await client.close();
    options.log.debug({ err: error }, 'database connection failed');
    throw new Error(`MongoDB does not respond at ${withoutSecrets(options.url)}. Check MONGODB_URL.`, {
      cause: error,
    });
  }
  return connectionOf(client, login, options.database);
}

/** Does the same as connectMongo without waiting for the database, for parts that work without it. An operation connects when needed. */
export function openMongo(options: Pick<ConnectOptions, 'url' | 'urlFile' | 'database' | 'log'>): MongoConnection {
  const client = createClient(options);
  return connectionOf(client, loginOf(client, options), options.database);
}

type FollowedLogin = ReturnType<typeof followLogin>;

function loginOf(client: MongoClient, { url, urlFile: path, log }: ConnectOptions): FollowedLogin | undefined {
  if (path === undefined) return undefined;
  const prove = async (changed: string): Promise<void> => (await connectMongo({ url: changed, log })).close();
  return followLogin({ client, url, path, prove, clock: systemClock, log });
}

function createClient({ url, replyMs = ATTEMPT_MS }: Pick<ConnectOptions, 'url' | 'replyMs'>): MongoClient {
  return new MongoClient(url, {
    appName: 'cloudphone',
    ...RELIABLE,
    retryWrites: true,
    retryReads: true,
    serverSelectionTimeoutMS: ATTEMPT_MS,
    waitQueueTimeoutMS: ATTEMPT_MS,
    connectTimeoutMS: ATTEMPT_MS,
    socketTimeoutMS: replyMs,
    heartbeatFrequencyMS: HEARTBEAT_MS,
    ignoreUndefined: true,
    maxPoolSize: 50,
  });
}

function connectionOf(client: MongoClient, login: FollowedLogin | undefined, database = 'cloudphone'): MongoConnection {
  return {
    // Set again on the database: the URL's options for reads (tags, staleness) are mixed into the client's own.
    database: client.db(database, RELIABLE),
    close: async () => {
      await login?.close();
      await client.close();
    },
  };
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

/** How often takesWrites writes, ms. Readiness is read more often than that. */
const WRITE_CHECK_MS = 5_000;

/**
 * Checks that the database responds and takes writes: one whose disk is full still responds. It writes one document, at most every 5 s, and
 * at each check while writes fail.
 */
export function takesWrites(database: Db, clock: Pick<Clock, 'now' | 'monotonicMs'>): Check {
  const checks = database.collection<{ _id: string; at: Date }>('readiness');
  let wroteMs = -Infinity;
  return async (signal) => {
    if (clock.monotonicMs() - wroteMs < WRITE_CHECK_MS) {
      await isReachable(database)(signal);
      return;
    }
    try {
      await checks.updateOne({ _id: 'write' }, { $set: { at: new Date(clock.now()) } }, { upsert: true });
    } catch (error) {
      if (error instanceof MongoServerError && error.code === OUT_OF_DISK_SPACE) {
        const message =
          'the database takes no writes, as its disk is full: make room, and it takes them again by itself';
        throw new OperatorProblem(message, { cause: error });
      }
      throw error;
    }
    wroteMs = clock.monotonicMs();
  };
}

const DUPLICATE_KEY = 11_000;

/**
 * Returns whether `error` reports that a unique index refused a document. After a write of several documents, `error` describes only the
 * first failure.
 */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

/**
 * Returns the errors of single documents in an unordered write of several; all other documents have been written. Throws `error` again when
 * one of the others may not have been written. The driver wraps every failure of such a write in a MongoBulkWriteError. After a lost
 * connection or a full disk, that error contains no errors of single documents.
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

/** Returns the URL without the login, and without the options, which can hold the password of a key file. */
function withoutSecrets(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//').replace(/\?.*/, '');
}
