import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Db, MongoClient } from 'mongodb';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import { databaseUnavailable } from '../../kit/errors/database-unavailable.js';
import { runServer, type RunningServer } from '../server.js';
import { freeBytesOf } from './free-space.js';

const MIB = 1024 ** 2;

describe('a disk that fills up', () => {
  let directory: string;
  let server: RunningServer;
  let client: MongoClient;
  let database: Db;
  let freeBytes = 100 * MIB;
  let nowMs = 0;
  let readings = 0;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'embedded-mongo-'));
    const clock = { ...systemClock, monotonicMs: () => nowMs };
    const readFreeBytes = (): number => {
      readings++;
      return freeBytes;
    };
    server = await runServer({ directory, clock, log: silentLog, freeBytes: readFreeBytes });
    client = await MongoClient.connect(server.url);
    database = client.db('full');
  });
  after(async () => {
    await client.close();
    await server.close();
    await rm(directory, { recursive: true });
  });

  it('takes no more writes, keeps the stored data, and takes writes again when there is room', async () => {
    const things = database.collection<{ _id: number }>('things');
    await things.insertOne({ _id: 1 });
    freeBytes = 63 * MIB;
    nowMs += 50;
    const writes = [
      things.insertOne({ _id: 2 }),
      things.insertMany([{ _id: 3 }, { _id: 4 }]),
      things.updateOne({ _id: 1 }, { $set: { much: 'more' } }),
      things.findOneAndUpdate({ _id: 5 }, { $set: { _id: 5 } }, { upsert: true }),
      things.deleteOne({ _id: 1 }),
    ];
    for (const outcome of await Promise.allSettled(writes)) {
      const reason: unknown = outcome.status === 'rejected' ? outcome.reason : undefined;
      expect(reason).to.include({ code: 14031, codeName: 'OutOfDiskSpace' });
      expect(databaseUnavailable(reason)).to.include({ kind: 'unavailable' });
    }
    expect(await things.find({}).toArray()).to.deep.equal([{ _id: 1 }]);
    freeBytes = 65 * MIB;
    nowMs += 50;
    await things.insertOne({ _id: 6 });
    expect(await things.countDocuments({})).to.equal(2);
  });

  it('is measured at intervals, not with each write', async () => {
    const before = readings;
    for (let _id = 10; _id < 20; _id++) await database.collection<{ _id: number }>('things').insertOne({ _id });
    expect(readings).to.equal(before);
    nowMs += 50;
    await database.collection<{ _id: number }>('things').insertOne({ _id: 20 });
    expect(readings).to.equal(before + 1);
  });

  it('reports how much room it has', () => {
    expect(freeBytesOf(directory)).to.be.greaterThan(0);
  });
});
