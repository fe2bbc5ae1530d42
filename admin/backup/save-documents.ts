import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { EJSON } from 'bson';
import { type ClientSession, type Collection, type Db, MongoServerError } from 'mongodb';
import { assertRestored, RESTORING } from '../../kit/db/restoring.js';
import { DOCUMENTS, documentsFile, type SavedCollection, type SavedDocuments } from './backup-file.js';
import { collectionsOf, type MongoPlace, withMongo } from './mongo-place.js';

/** MongoDB's codes of a server without reads of one moment: no member of a replica set, not supported, not implemented. */
const WITHOUT_SNAPSHOTS: readonly unknown[] = [123, 115, 238];

/** MongoDB's codes of a moment that the server cannot return to any more, or not yet. */
const MOMENT_LOST: readonly unknown[] = [239, 246];

/** Documents of a reply; one of 16 MiB ends earlier. */
const BATCH_DOCUMENTS = 1_000;

/**
 * Writes all documents of a MongoDB into the folder of a backup, each collection as one file in BSON, as of one moment where the server is
 * a replica set. It holds one reply of the server at a time. Indexes are in the description.
 */
export function saveDocuments(place: MongoPlace, into: string): Promise<SavedDocuments> {
  return withMongo(place, async (database) => {
    await assertRestored(database);
    await mkdir(join(into, DOCUMENTS), { mode: 0o700 });
    const session = await sessionOfOneMoment(database);
    try {
      const collections: SavedCollection[] = [];
      for (const name of await collectionsOf(database)) {
        if (name === RESTORING) continue;
        const path = documentsFile(into, collections.length);
        collections.push(await saveCollection(database.collection(name), path, session));
      }
      return { database: database.databaseName, one_moment: session !== undefined, collections };
    } catch (error) {
      if (!(error instanceof MongoServerError) || !MOMENT_LOST.includes(error.code)) throw error;
      throw new Error(
        'The database forgot the moment of this backup while it was read. Try again, or let it keep more: docs/backup.md, "With MongoDB".',
        { cause: error },
      );
    } finally {
      await session?.endSession();
    }
  });
}

/** Returns a session whose reads are of the moment of its first one; undefined where the server has no such reads. */
async function sessionOfOneMoment(database: Db): Promise<ClientSession | undefined> {
  const session = database.client.startSession({ snapshot: true });
  try {
    await database.collection(RESTORING).find({}, { session, limit: 1 }).toArray();
    return session;
  } catch (error) {
    await session.endSession();
    if (error instanceof MongoServerError && WITHOUT_SNAPSHOTS.includes(error.code)) return undefined;
    throw error;
  }
}

async function saveCollection(
  collection: Collection,
  path: string,
  session: ClientSession | undefined,
): Promise<SavedCollection> {
  const indexes = await collection.indexes();
  const cursor = collection.find({}, { raw: true, batchSize: BATCH_DOCUMENTS, ...(session && { session }) });
  const hash = createHash('sha256');
  let documents = 0;
  const count = async function* (): AsyncGenerator<Uint8Array> {
    for await (const document of cursor as AsyncIterable<unknown>) {
      const bytes = document as Uint8Array;
      hash.update(bytes);
      documents++;
      yield bytes;
    }
  };
  await pipeline(count, createWriteStream(path, { mode: 0o600, flags: 'wx' }));
  return {
    ...{ name: collection.collectionName, documents, sha256: hash.digest('hex') },
    indexes: EJSON.serialize(indexes, { relaxed: false }) as object[],
  };
}
