import type { Db } from 'mongodb';

/** The collection with the one record of a restore that has not ended. */
export const RESTORING = 'restoring';

/** A restore of this database, from before its first document until after its last index. */
export interface Restoring {
  _id: 'restore';
  /** The process that restores. */
  holder: string;
  /** Another process may take over from then on, as the holder was killed. */
  until: Date;
  /** The database was found empty after this record was made: all that it has is of the restore. */
  began?: true;
}

/** Throws an error of one line when a restore of the database was killed: what it has is a part of what it had. */
export async function assertRestored(database: Db): Promise<void> {
  if ((await database.collection<Restoring>(RESTORING).findOne({ _id: 'restore' })) === null) return;
  throw new Error('A restore of this database has not ended. Give `admin restore` again, until it ends.');
}
