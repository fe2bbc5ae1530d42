import type { Collection, OptionalUnlessRequiredId } from 'mongodb';
import { isDuplicateKey } from '../../kit/db/mongo.js';

/** Inserts a document. Returns false when a unique index refuses it. */
export async function insertNew<T extends { _id: string }>(
  collection: Collection<T>,
  document: OptionalUnlessRequiredId<T>,
): Promise<boolean> {
  try {
    await collection.insertOne(document);
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
