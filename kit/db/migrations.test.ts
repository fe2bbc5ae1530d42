import { expect } from 'chai';
import type { Db } from 'mongodb';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../test/temporary-database.js';
import { systemClock } from '../async/clock.js';
import { silentLog } from '../log/log.js';
import { migrate, type Migration } from './migrations.js';

describe('the migrations of a database', () => {
  let temporary: TemporaryDatabase;
  let service: string;
  let count = 0;
  before(async () => {
    temporary = await openTemporaryDatabase();
  });
  after(() => temporary.close());
  beforeEach(() => {
    service = `service-${++count}`;
  });

  const run = (migrations: readonly Migration[], now: () => number = Date.now): Promise<void> =>
    migrate({ database: temporary.database, service, migrations, clock: { ...systemClock, now }, log: silentLog });
  const noting = (names: string[], log: string[]): Migration[] =>
    names.map((name) => ({
      name,
      run: () => {
        log.push(name);
        return Promise.resolve();
      },
    }));
  const progress = () => temporary.database.collection<{ _id: string }>('migrations').findOne({ _id: service });

  it('are run once, in their order, the new ones only', async () => {
    const log: string[] = [];
    await run(noting(['a', 'b'], log));
    await run(noting(['a', 'b'], log));
    await run(noting(['a', 'b', 'c'], log));
    expect(log).to.deep.equal(['a', 'b', 'c']);
    expect(await progress()).to.deep.equal({ _id: service, done: ['a', 'b', 'c'] });
  });

  it('are run by one of eight instances that start at the same time, and all wait for it', async () => {
    const log: string[] = [];
    const slow: Migration = {
      name: 'slow',
      run: async () => {
        log.push('begun');
        await systemClock.sleep(50);
        log.push('done');
      },
    };
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        await run([slow]);
        log.push('started');
      }),
    );
    expect(log).to.deep.equal(['begun', 'done', ...Array<string>(8).fill('started')]);
  });

  it('fail with the error of a migration, also when the lease cannot be given back', async () => {
    const collection = temporary.database.collection('migrations');
    const failing: Pick<typeof collection, 'findOne' | 'updateOne'> = {
      findOne: collection.findOne.bind(collection),
      updateOne: (filter, update, options) =>
        '$unset' in update
          ? Promise.reject(new Error('the database is away'))
          : collection.updateOne(filter, update, options),
    };
    const database = { collection: () => failing } as unknown as Db;
    const broken = { name: 'broken', run: () => Promise.reject(new Error('the index is wrong')) };
    const running = migrate({ database, service, migrations: [broken], clock: systemClock, log: silentLog });
    const error = await running.then(() => undefined, String);
    expect(error).to.equal('Error: the index is wrong');
  });

  it('go on after a failure with the one that failed', async () => {
    const log: string[] = [];
    const broken = { name: 'b', run: () => Promise.reject(new Error('no')) };
    let failure: unknown;
    await run([...noting(['a'], log), broken]).catch((error: unknown) => (failure = error));
    expect(failure).to.have.property('message', 'no');
    await run(noting(['a', 'b'], log));
    expect(log).to.deep.equal(['a', 'b']);
  });

  it('are taken over from an instance that was killed in the middle', async () => {
    const log: string[] = [];
    let nowMs = Date.parse('2030-01-01T00:00:00Z');
    // Represents a killed process: it runs, and nothing it does has an effect any more.
    let isBegun = (): void => undefined;
    const begun = new Promise<void>((resolve) => (isBegun = resolve));
    const never = new Promise<void>(() => undefined);
    const clock = { ...systemClock, now: () => nowMs, after: () => ({ cancel: () => undefined }) };
    const killed = { name: 'b', run: () => (isBegun(), never) };
    void migrate({
      database: temporary.database,
      service,
      migrations: [...noting(['a'], log), killed],
      clock,
      log: silentLog,
    });
    await begun;
    const other = run(noting(['a', 'b'], log), () => nowMs);
    nowMs += 6_000;
    await other;
    expect(log).to.deep.equal(['a', 'b']);
  });

  it('of a newer version are refused in one line', async () => {
    await run(noting(['a', 'b'], []));
    let failure: unknown;
    await run(noting(['a'], [])).catch((error: unknown) => (failure = error));
    expect(failure).to.be.instanceOf(Error);
    expect((failure as Error).message)
      .to.contain(`"b" of ${service}`)
      .and.to.match(/^[^\n]+$/);
  });
});
