import { deserialize, EJSON } from 'bson';
import type { Collection, Db, Document, IndexDescription } from 'mongodb';
import type { Clock } from '../../kit/async/clock.js';
import { damaged, documentsFile, type SavedDocuments } from './backup-file.js';
import { documentsIn } from './bson-file.js';
import { type MongoPlace, withMongo } from './mongo-place.js';
import { restoring } from './restoring-database.js';

/** Most documents and most bytes that are inserted at once. One document may be larger. */
const MAX_BATCH_DOCUMENTS = 1_000;
const MAX_BATCH_BYTES = 8 * 1024 * 1024;

/** Numbers, bytes and patterns keep the types that they have in BSON, so that the same bytes are stored again. */
const EXACT = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true } as const;

export interface RestoreDocumentsOptions {
  place: MongoPlace;
  /** The folder of the backup, which was verified. */
  folder: string;
  saved: SavedDocuments;
  clock: Clock;
}

/**
 * Puts the documents of a backup into an empty database: all documents, then their numbers are compared, then the indexes are made, as one
 * may remove documents by their age. A killed restore leaves a record, with which no service starts (kit/db/restoring.ts); the next one
 * removes what the killed one inserted, and begins again.
 */
export function restoreDocuments({ place, folder, saved, clock }: RestoreDocumentsOptions): Promise<void> {
  return withMongo(place, (database) =>
    restoring(database, clock, async (assertHeld) => {
      for (const [at, { name }] of saved.collections.entries())
        await fill(database.collection(name), documentsFile(folder, at), assertHeld);
      for (const { name, documents } of saved.collections) {
        const found = await database.collection(name).countDocuments({});
        if (found !== documents) throw damaged(folder, `${name} has ${documents} documents, and ${found} arrived`);
      }
      for (const { name, indexes } of saved.collections) await index(database, name, indexes);
    }),
  );
}

async function fill(collection: Collection, path: string, assertHeld: () => Promise<void>): Promise<void> {
  let [batch, bytes]: [Document[], number] = [[], 0];
  const send = async (): Promise<void> => {
    if (batch.length === 0) return;
    await assertHeld();
    await collection.insertMany(batch);
    [batch, bytes] = [[], 0];
  };
  for await (const document of documentsIn(path)) {
    if (batch.length === MAX_BATCH_DOCUMENTS || bytes + document.length > MAX_BATCH_BYTES) await send();
    batch.push(deserialize(document, EXACT));
    bytes += document.length;
  }
  await send();
}

async function index(database: Db, name: string, indexes: readonly object[]): Promise<void> {
  const described = indexes.map((one) => EJSON.deserialize(one) as IndexDescription & { name: string; v?: number });
  const wanted = described.filter(({ name: own }) => own !== '_id_').map(({ v: _version, ...one }) => one);
  if (wanted.length > 0) await database.collection(name).createIndexes(wanted);
}
