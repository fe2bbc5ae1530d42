import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Collection } from 'mongodb';
import { databaseUnavailable } from '../../kit/errors/database-unavailable.js';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../embedded-mongo/embedded-mongo.js';
import { silentLog } from '../../kit/log/log.js';
import { connectMongo, forCounters, type MongoConnection } from '../../kit/db/mongo.js';
import { DatabaseProxy, type Fault } from './database-proxy.js';
import { until } from '../../testing/until.js';

interface Counter {
  _id: string;
  n: number;
}

/** How often all connections are cut, each time at another moment. */
const CUTS = 30;

describe('the connection to a database that fails', function () {
  let directory: string;
  let server: EmbeddedMongo;
  let direct: MongoConnection;
  let proxy: DatabaseProxy;
  let connection: MongoConnection;
  let counters: Collection<Counter>;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-faults-'));
    server = await startEmbeddedMongo({ directory, log: silentLog });
    direct = await connectMongo({ url: server.url, log: silentLog });
  });
  after(async () => {
    await direct.close();
    await server.close();
    rmSync(directory, { recursive: true });
  });
  beforeEach(async () => {
    proxy = await DatabaseProxy.open(server.url);
    connection = await connectMongo({ url: proxy.url, log: silentLog });
    counters = connection.database.collection('counters');
    await stored().deleteMany({});
    await stored().insertOne({ _id: 'a', n: 0 });
  });
  afterEach(async () => {
    await connection.close();
    await proxy.close();
  });

  const stored = (): Collection<Counter> => direct.database.collection('counters');
  const storedN = async (): Promise<number | undefined> => (await stored().findOne({ _id: 'a' }))?.n;
  const failureOf = async (work: Promise<unknown>): Promise<unknown> => {
    try {
      await work;
      return undefined;
    } catch (error) {
      return error;
    }
  };

  const passing: (Fault & string)[] = ['reset before', 'reset after', 'reset in reply', 'not primary'];
  for (const fault of passing) {
    it(`does each write once, though the network does "${fault}"`, async () => {
      proxy.order(fault, { name: 'findAndModify' });
      const found = await counters.findOneAndUpdate({ _id: 'a' }, { $inc: { n: 1 } }, { returnDocument: 'after' });
      expect(found).to.deep.equal({ _id: 'a', n: 1 });
      proxy.order(fault, { name: 'update' });
      expect(await counters.updateOne({ _id: 'a' }, { $inc: { n: 1 } })).to.include({ modifiedCount: 1 });
      expect(await storedN()).to.equal(2);
      proxy.order(fault, { name: 'update' });
      expect(await counters.updateOne({ _id: 'a', n: 2 }, { $set: { n: 7 } })).to.include({ modifiedCount: 1 });
      proxy.order(fault, { name: 'insert' });
      await counters.insertOne({ _id: 'b', n: 0 });
      proxy.order(fault, { name: 'delete' });
      expect(await counters.deleteOne({ _id: 'b' })).to.include({ deletedCount: 1 });
      proxy.order(fault, { name: 'find' });
      expect(await counters.findOne({ _id: 'a' })).to.deep.equal({ _id: 'a', n: 7 });
      expect(proxy.seen('insert')).to.equal(2);
    });
  }

  it('does a write once that is reset after it was done, and reports one that is reset twice as unavailable', async () => {
    const resets = proxy.order('reset after', { name: 'update', times: 2 });
    const failure = await failureOf(counters.updateOne({ _id: 'a' }, { $inc: { n: 1 } }));
    expect(databaseUnavailable(failure)).to.include({ kind: 'unavailable' });
    await resets.done;
    expect(await storedN()).to.equal(1);
  });

  it('reports a write that no majority has as unavailable', async () => {
    const writes: [string, () => Promise<unknown>][] = [
      ['findAndModify', () => counters.findOneAndUpdate({ _id: 'a' }, { $inc: { n: 1 } })],
      ['update', () => counters.updateOne({ _id: 'a' }, { $inc: { n: 1 } })],
      ['insert', () => counters.insertMany([{ _id: 'w', n: 0 }])],
      ['delete', () => counters.bulkWrite([{ deleteOne: { filter: { _id: 'w' } } }])],
    ];
    for (const [name, write] of writes) {
      proxy.order('write concern failed', { name });
      expect(databaseUnavailable(await failureOf(write())), name).to.include({ kind: 'unavailable' });
    }
  });

  it('reports a database that replies to nothing as unavailable, and works after its return', async () => {
    await counters.findOne({});
    proxy.freeze();
    const failures = await Promise.all([
      failureOf(counters.findOne({})),
      failureOf(counters.updateOne({ _id: 'a' }, { $inc: { n: 1 } })),
      failureOf(counters.insertMany([{ _id: 'c', n: 0 }])),
      failureOf(counters.find({}).toArray()),
    ]);
    for (const failure of failures)
      expect(databaseUnavailable(failure), String(failure)).to.include({ kind: 'unavailable' });
    proxy.thaw();
    await recovers();
  });

  it('recovers from a database that was away for longer than operations wait', async () => {
    await counters.findOne({});
    await proxy.goAway();
    const failure = await failureOf(counters.findOne({}));
    expect(databaseUnavailable(failure), String(failure)).to.include({ kind: 'unavailable' });
    await proxy.comeBack();
    await recovers();
  });

  it(`recovers each of ${CUTS} times that all connections are cut at once`, async () => {
    for (let cut = 0; cut < CUTS; cut++) {
      await Promise.all(Array.from({ length: 4 }, () => counters.findOne({})));
      // Now and then in the moment of a heartbeat, in which a driver has its request under way.
      await new Promise((resolve) => setTimeout(resolve, (cut * 37) % 200));
      proxy.cutAll();
      await recovers();
    }
  });

  it('reads from the primary and writes to a majority, against other options of the URL', async () => {
    const wish =
      'readPreference=secondaryPreferred&readPreferenceTags=dc:ny&maxStalenessSeconds=120&w=1&retryWrites=false';
    const wishful = await connectMongo({ url: `${proxy.url}&${wish}`, log: silentLog });
    expect(wishful.database.readPreference.mode).to.equal('primary');
    expect(wishful.database.writeConcern?.w).to.equal('majority');
    expect(forCounters(wishful.database).writeConcern).to.have.property('w', 1);
    proxy.order('reset after', { name: 'update' });
    await wishful.database.collection<Counter>('counters').updateOne({ _id: 'a' }, { $inc: { n: 1 } });
    expect(await storedN()).to.equal(1);
    await wishful.close();
  });

  /** Waits until the database is read again. How long that takes: `npm run bench -- outage`. */
  async function recovers(): Promise<void> {
    await until(async () => (await failureOf(counters.findOne({ _id: 'a' }))) === undefined);
  }
});
