import { type Collection, type Document, type IndexDescription, MongoServerError } from 'mongodb';

/** MongoDB's codes for an index that exists with another definition, or another name. */
const CONFLICTS: readonly unknown[] = [85, 86];

/**
 * Makes the indexes of a collection. One that an older release made with the same name and another definition, or with another
 * name, is dropped first: MongoDB refuses to change an index. Others that exist are left as they are. Safe to
 * repeat, and to end in the middle. An instance of the older release that runs beside this one reads more slowly meanwhile.
 */
export async function putIndexes<T extends Document>(
  collection: Collection<T>,
  indexes: readonly (IndexDescription & { name: string })[],
): Promise<void> {
  try {
    await collection.createIndexes([...indexes]);
  } catch (error) {
    if (!(error instanceof MongoServerError) || !CONFLICTS.includes(error.code)) throw error;
    for (const older of (await collection.indexes()) as Older[]) {
      if (older.name !== '_id_' && indexes.some((wanted) => isInTheWay(older, wanted)))
        await collection.dropIndex(older.name);
    }
    await collection.createIndexes([...indexes]);
  }
}

type Older = IndexDescription & { name: string };

function isInTheWay(older: Older, wanted: Older): boolean {
  const isSame = definitionOf(older) === definitionOf(wanted);
  return older.name === wanted.name ? !isSame : isSame;
}

function definitionOf({ key, unique = false, sparse = false, ...index }: Older): string {
  return JSON.stringify([key, unique, sparse, index.partialFilterExpression, index.expireAfterSeconds]);
}
