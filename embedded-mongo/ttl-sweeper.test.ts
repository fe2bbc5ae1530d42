import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { systemClock } from '../kit/async/clock.js';
import { silentLog } from '../kit/log/log.js';
import { runServer, type RunningServer } from './server.js';

describe('TtlSweeper', () => {
  let directory: string;
  let server: RunningServer;
  let client: MongoClient;
  let nowMs = Date.parse('2030-01-01T00:00:00Z');
  const sweeps: (() => void)[] = [];

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'embedded-mongo-'));
    const clock = {
      ...systemClock,
      now: () => nowMs,
      after: (ms: number, run: () => void) => {
        if (ms === 60_000) sweeps.push(run);
        return { cancel: () => undefined };
      },
    };
    server = await runServer({ directory, clock, log: silentLog });
    client = await MongoClient.connect(server.url);
  });
  after(async () => {
    await client.close();
    await server.close();
    await rm(directory, { recursive: true });
  });

  it('removes documents whose time is over, and no others', async () => {
    const collection = client.db('ttl').collection<{ _id: string; at?: unknown }>('c');
    await collection.createIndex({ at: 1 }, { expireAfterSeconds: 10 }, {});
    const ago = (seconds: number): Date => new Date(nowMs - seconds * 1_000);
    await collection.insertMany([
      { _id: 'old', at: ago(11) },
      { _id: 'young', at: ago(9) },
      { _id: 'earliest counts', at: [ago(1), ago(20)] },
      { _id: 'not a date', at: 5 },
      { _id: 'none' },
    ]);
    const left = async (): Promise<string[]> =>
      (await collection.find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id);
    expect(await server.sweeper.sweep()).to.equal(2);
    expect(await left()).to.deep.equal(['none', 'not a date', 'young']);
    nowMs += 2_000;
    expect(await server.sweeper.sweep()).to.equal(1);
    expect(await left()).to.deep.equal(['none', 'not a date']);
  });

  it('removes more than one write takes', async () => {
    const collection = client.db('ttl').collection('many');
    await collection.createIndex({ at: 1 }, { expireAfterSeconds: 0 }, {});
    await collection.insertMany(Array.from({ length: 1_203 }, () => ({ at: new Date(nowMs - 1) })));
    expect(await server.sweeper.sweep()).to.equal(1_203);
  });

  it('looks every minute by itself', async () => {
    const collection = client.db('ttl').collection('later');
    await collection.createIndex({ at: 1 }, { expireAfterSeconds: 0 }, {});
    await collection.insertOne({ at: new Date(nowMs - 1) });
    for (let minute = 1; minute <= 2; minute++) {
      expect(sweeps).to.have.length(minute);
      sweeps.at(-1)?.();
      // The next minute is waited for once this sweep is over, which the client's requests make time for.
      while (sweeps.length === minute) await collection.countDocuments();
    }
    expect(await collection.countDocuments()).to.equal(0);
  });
});
