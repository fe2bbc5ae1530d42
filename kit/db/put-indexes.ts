import { type Collection, type Document, type IndexDescription, MongoServerError } from 'mongodb';

/** MongoDB's codes for an index that exists with another definition, or another name. */
const CONFLICTS: readonly unknown[] = [85, 86];

/**
 * Makes the indexes of a collection. An index that an older release made with another definition or another name is dropped first, because
 * MongoDB refuses to change an index. Other existing indexes stay as they are. The function can be repeated, also after a crash in the
 * middle. Meanwhile, an instance of the older release that runs beside this one reads more slowly.
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
