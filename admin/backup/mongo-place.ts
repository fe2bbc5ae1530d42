import type { Db } from 'mongodb';
import { connectMongo } from '../../kit/db/mongo.js';
import { silentLog } from '../../kit/log/log.js';

/** A database of a MongoDB, as MONGODB_URL and MONGODB_DATABASE name it. */
export interface MongoPlace {
  url: string;
  database: string;
}

/** How long a reply may take, ms: an index over all documents is one. A server that is away is noticed by its reports earlier. */
const REPLY_MS = 1_800_000;

/** Connects for the time of `use`. Throws an error of one line where the database does not respond. */
export async function withMongo<T>({ url, database }: MongoPlace, use: (database: Db) => Promise<T>): Promise<T> {
  const connection = await connectMongo({ url, database, replyMs: REPLY_MS, log: silentLog });
  try {
    return await use(connection.database);
  } finally {
    await connection.close();
  }
}

/** Returns the names of the collections in their order, without views and what the server keeps for itself. */
export async function collectionsOf(database: Db): Promise<string[]> {
  const found = await database.listCollections().toArray();
  return found
    .filter(({ name, type }) => type === 'collection' && !name.startsWith('system.'))
    .map(({ name }) => name)
    .sort();
}
