import type { Db } from 'mongodb';
import type { Clock } from '../async/clock.js';
import { randomText } from '../text/ids.js';
import type { Log } from '../log/log.js';
import { databaseUnavailable } from '../errors/database-unavailable.js';
import { isDuplicateKey } from './mongo.js';
import { assertRestored } from './restoring.js';
import { repeat } from '../errors/repeat.js';

/**
 * One step of a database from one shape to the next: an index, a field of another form. It is run again when a process is killed in
 * the middle of it, so it has to be safe to do twice. Once released it is never changed, moved or removed; a later one corrects it.
 */
export interface Migration {
  /** Such as `indexes of deliveries`. */
  readonly name: string;
  readonly run: (database: Db) => Promise<void>;
}

export interface MigrateOptions {
  readonly database: Db;
  /** The service of the migrations; each has its own order. */
  readonly service: string;
  /** The migrations of the service, in the order in which they are run. */
  readonly migrations: readonly Migration[];
  readonly clock: Clock;
  readonly log: Log;
}

/** How long a lease lasts that is not renewed, ms. Then another instance runs the migrations. */
const LEASE_MS = 5_000;

/**
 * How long a migration is tried again while the database does not respond to it, ms. This is enough for an index over a few hundred million
 * documents.
 */
const STEP_MS = 1_800_000;

/** How often a waiting instance checks, ms. */
const CHECK_MS = 100;

/** The record of a service in the collection `migrations`. */
interface Progress {
  _id: string;
  /** Names of those that are done, in their order. */
  done: string[];
  /** The process that runs them now. */
  holder?: string;
  until?: Date;
}

/**
 * Runs the migrations that the database has not had. When several instances start at the same time, one runs them and the others wait. When
 * that one is killed, another goes on after LEASE_MS with the migration that was under way. Returns when all are done.
 *
 * Throws an error of one line when the database has migrations that this version does not know.
 */
export async function migrate({ database, service, migrations, clock, log }: MigrateOptions): Promise<void> {
  await assertRestored(database);
  const collection = database.collection<Progress>('migrations');
  const me = randomText(12);
  for (;;) {
    const { done } = (await collection.findOne({ _id: service })) ?? { done: [] };
    assertKnown(service, done, migrations);
    if (done.length === migrations.length) return;
    if (await claim()) break;
    await clock.sleep(CHECK_MS);
  }
  const everyMs = LEASE_MS / 3;
  const renewing = repeat({ clock, log, everyMs, step: `renew the lease on the migrations of ${service}` }, () =>
    collection.updateOne({ _id: service, holder: me }, { $set: { until: new Date(clock.now() + LEASE_MS) } }),
  );
  try {
    const { done } = (await collection.findOne({ _id: service })) ?? { done: [] };
    const missing = migrations.slice(done.length);
    log.info({ service, migrations: missing.map(({ name }) => name) }, 'changing the database');
    for (const { name, run } of missing) {
      log.debug({ service, migration: name }, 'migration begins');
      await runToItsEnd(() => run(database));
      // A process that lost its lease meanwhile must record nothing: the new holder runs the migration again.
      const { matchedCount } = await collection.updateOne({ _id: service, holder: me }, { $push: { done: name } });
      if (matchedCount === 0) throw new Error(`Another instance of ${service} took over its migrations. Start again.`);
    }
  } finally {
    await renewing.close();
    // A lease that is not given back ends by its time. A failure here must not hide why a migration failed.
    await collection
      .updateOne({ _id: service, holder: me }, { $unset: { holder: '', until: '' } })
      .catch((error: unknown) => log.warn({ err: error, service }, 'could not give back the lease on the migrations'));
  }

  /**
   * Sends a step again until the database reports that it is done. A step may take longer than the driver waits for a reply, and the
   * server goes on with it meanwhile.
   */
  async function runToItsEnd(run: () => Promise<void>): Promise<void> {
    const deadlineMs = clock.monotonicMs() + STEP_MS;
    for (;;) {
      try {
        await run();
        return;
      } catch (error) {
        if (databaseUnavailable(error) === undefined || clock.monotonicMs() > deadlineMs) throw error;
        log.warn({ service, err: error }, 'a change of the database is not done yet; trying again');
        await clock.sleep(CHECK_MS);
      }
    }
  }

  async function claim(): Promise<boolean> {
    const now = clock.now();
    const lease = { holder: me, until: new Date(now + LEASE_MS) };
    try {
      await collection.updateOne({ _id: service }, { $setOnInsert: { done: [] } }, { upsert: true });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error; // another instance made it in this moment
    }
    const free = { $or: [{ holder: { $exists: false } }, { until: { $lte: new Date(now) } }] };
    return (await collection.updateOne({ _id: service, ...free }, { $set: lease })).matchedCount === 1;
  }
}

function assertKnown(service: string, done: readonly string[], migrations: readonly Migration[]): void {
  const strange = done.findIndex((name, at) => migrations[at]?.name !== name);
  if (strange === -1) return;
  throw new Error(
    `The database has the migration "${done[strange] ?? ''}" of ${service}, which this version does not know at that place. Start the version that made it, or a newer one.`,
  );
}
