import type { Db } from 'mongodb';
import type { Clock } from './clock.js';
import { randomText } from './ids.js';
import type { Log } from './log.js';
import { databaseUnavailable } from './database-unavailable.js';
import { isDuplicateKey } from './mongo.js';
import { repeat } from './repeat.js';

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
  /** In the order in which they are run. */
  readonly migrations: readonly Migration[];
  readonly clock: Clock;
  readonly log: Log;
}

/** How long another instance waits for one that runs migrations and does not renew its lease, ms. */
const LEASE_MS = 5_000;

/** How long one migration may take, ms: an index over some hundred million documents. */
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
 * Runs the migrations that the database has not had. Of several instances that start at once, one runs them and the others wait; when
 * it is killed, another goes on after LEASE_MS with the one that was under way. Returns when all are done.
 *
 * Throws one line when the database has migrations that this version does not know.
 */
export async function migrate({ database, service, migrations, clock, log }: MigrateOptions): Promise<void> {
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
    for (const { name, run } of migrations.slice(done.length)) {
      log.info({ service, migration: name }, 'changing the database');
      await runToItsEnd(() => run(database));
      // Fenced: a process that was taken for dead meanwhile records nothing, and the other one does it again.
      const { matchedCount } = await collection.updateOne({ _id: service, holder: me }, { $push: { done: name } });
      if (matchedCount === 0) throw new Error(`Another instance of ${service} took over its migrations. Start again.`);
    }
  } finally {
    await renewing.close();
    // Not given back, the lease ends by its time; that must not hide why a migration failed.
    await collection
      .updateOne({ _id: service, holder: me }, { $unset: { holder: '', until: '' } })
      .catch((error: unknown) => log.warn({ err: error, service }, 'could not give back the lease on the migrations'));
  }

  /** A step may take longer than a reply may be late: the server goes on with it, and it is sent again until it is done. */
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
