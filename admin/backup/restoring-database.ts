import type { Collection, Db } from 'mongodb';
import type { Clock } from '../../kit/async/clock.js';
import { isDuplicateKey } from '../../kit/db/mongo.js';
import { type Restoring, RESTORING } from '../../kit/db/restoring.js';
import { repeat } from '../../kit/errors/repeat.js';
import { silentLog } from '../../kit/log/log.js';
import { randomText } from '../../kit/text/ids.js';
import { collectionsOf } from './mongo-place.js';

/** How long the record of a restore holds that is not renewed, ms. Then another one may take it over. */
const LEASE_MS = 60_000;

export const HELD =
  'Another restore of this database runs, or was killed less than a minute ago. Wait a minute, and try again.';

/**
 * Restores a database under a record of its own, as long as `work` runs. `work` calls `assertHeld` before each write: it throws once
 * another restore has taken over. Killed before the record: nothing is there. Killed after it: no service starts on the database, and the
 * next restore clears it. A record that does not say `began` was made by a restore that had written nothing, so nothing is cleared for it.
 */
export async function restoring(
  database: Db,
  clock: Clock,
  work: (assertHeld: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const records = database.collection<Restoring>(RESTORING);
  const holder = randomText(12);
  const until = (): Date => new Date(clock.now() + LEASE_MS);
  const own = { _id: 'restore', holder } as const;
  const assertHeld = async (): Promise<void> => {
    const { matchedCount } = await records.updateOne(own, { $set: { until: until() } });
    if (matchedCount === 0) throw new Error(HELD);
  };
  const left = await claim(records, { holder, until: until() }, clock.now());
  const renewing = repeat(
    { clock, log: silentLog, everyMs: LEASE_MS / 3, step: 'renew the record of the restore' },
    assertHeld,
  );
  try {
    if (left?.began === true) await clear(database, assertHeld);
    await assertEmptyElse(database, () => records.deleteOne(own));
    if ((await records.updateOne(own, { $set: { began: true } })).matchedCount === 0) throw new Error(HELD);
    await work(assertHeld);
  } finally {
    await renewing.close();
  }
  if ((await records.deleteOne(own)).deletedCount === 0) throw new Error(HELD);
}

/** Throws an error of one line where the database has documents that no killed restore left. */
export async function assertRestorable(database: Db): Promise<void> {
  const left = await database.collection<Restoring>(RESTORING).findOne({ _id: 'restore' });
  if (left?.began !== true) await assertEmptyElse(database, async () => undefined);
}

/** Makes the record, or takes that of a killed restore, which is returned. */
async function claim(
  records: Collection<Restoring>,
  mine: Omit<Restoring, '_id'>,
  nowMs: number,
): Promise<Restoring | undefined> {
  const lapsed = { _id: 'restore', until: { $lte: new Date(nowMs) } } as const;
  const left = await records.findOneAndUpdate(lapsed, { $set: mine }, { returnDocument: 'before' });
  if (left !== null) return left;
  try {
    await records.insertOne({ _id: 'restore', ...mine });
    return undefined;
  } catch (error) {
    if (isDuplicateKey(error)) throw new Error(HELD, { cause: error });
    throw error;
  }
}

async function clear(database: Db, assertHeld: () => Promise<void>): Promise<void> {
  for (const name of await collectionsOf(database)) {
    if (name === RESTORING) continue;
    await assertHeld();
    await database.collection(name).deleteMany({});
    const indexes = await database.collection(name).indexes();
    for (const { name: index } of indexes)
      if (index !== undefined && index !== '_id_') await database.collection(name).dropIndex(index);
  }
}

async function assertEmptyElse(database: Db, giveBack: () => Promise<unknown>): Promise<void> {
  for (const name of await collectionsOf(database)) {
    if (name === RESTORING || (await database.collection(name).findOne({})) === null) continue;
    await giveBack();
    throw new Error(
      `The database "${database.databaseName}" of MONGODB_URL has documents already. Drop it, or set MONGODB_DATABASE to a new name.`,
    );
  }
}
