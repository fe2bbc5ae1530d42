import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { serialize } from 'bson';
import { expect } from 'chai';
import { open } from 'lmdb';
import { MongoClient } from 'mongodb';
import { silentLog } from '../../kit/log/log.js';
import { FolderInUseError } from '../../kit/files/folder-lock.js';
import { startEmbeddedMongo } from '../embedded-mongo.js';
import { databaseAddress } from '../../testing/database-address.js';
import { errorOf, valuesOf } from '../../testing/conformance-database.js';
import type { Acknowledged } from '../../testing/writing-process.js';

const ROUNDS = 6;

describe('the embedded MongoDB, over restarts', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'embedded-mongo-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  /** Starts a server on the folder, and stops it after. */
  async function withDatabase<T>(use: (client: MongoClient) => Promise<T>): Promise<T> {
    const server = await startEmbeddedMongo({ directory, log: silentLog });
    const client = await MongoClient.connect(server.url);
    try {
      return await use(client);
    } finally {
      await client.close();
      await server.close();
    }
  }

  it('keeps documents, indexes and their notes of arrays', async () => {
    await withDatabase(async (client) => {
      const things = client.db('shop').collection('things');
      await things.createIndex({ name: 1 }, { unique: true }, {});
      await things.createIndex({ tags: 1, at: -1 }, { name: 'by_tag', partialFilterExpression: { live: true } }, {});
      await things.insertOne({ name: 'a', tags: ['x', 'y'], live: true, at: new Date(5) });
    });
    await withDatabase(async (client) => {
      const things = client.db('shop').collection('things');
      expect(await things.countDocuments({ tags: 'y', live: true })).to.equal(1);
      expect((await errorOf(things.insertOne({ name: 'a' }))).code).to.equal(11000);
      const indexes = await things.indexes();
      expect(valuesOf(indexes, 'name')).to.deep.equal(['_id_', 'name_1', 'by_tag']);
      expect(indexes[2]).to.deep.include({ key: { tags: 1, at: -1 }, partialFilterExpression: { live: true } });
    });
  });

  it('refuses a folder that is in use, and names the process', async () => {
    await withDatabase(async () => {
      const error = await errorOf(startEmbeddedMongo({ directory, log: silentLog }));
      expect(error).to.be.instanceOf(FolderInUseError);
      expect(error.message).to.contain(directory).and.to.contain(String(process.pid));
    });
    const child = startWriting(directory);
    await once(child, 'message');
    const error = await errorOf(startEmbeddedMongo({ directory, log: silentLog }));
    expect(error).to.be.instanceOf(FolderInUseError);
    expect(error.message).to.contain(String(child.pid));
    await kill(child);
    await withDatabase(async (client) => client.db('any').command({ ping: 1 }));
  });

  it('listens where no other user may connect, also after a kill, and nowhere else', async () => {
    const child = startWriting(directory);
    await once(child, 'message');
    await kill(child);
    const server = await startEmbeddedMongo({ directory, log: silentLog });
    const { path } = databaseAddress(server.url);
    expect(statSync(path).mode & 0o777).to.equal(0o600);
    expect(dirname(path)).to.equal(directory);
    await server.close();
    expect(existsSync(path)).to.equal(false);
  });

  it('refuses a folder of a newer format in one line', async () => {
    const newer = await mkdtemp(join(tmpdir(), 'embedded-mongo-'));
    const environment = open<Buffer, Buffer>({
      path: newer,
      noSubdir: false,
      encoding: 'binary',
      keyEncoding: 'binary',
    });
    const catalog = environment.openDB<Buffer, Buffer>({ name: 'catalog', encoding: 'binary', keyEncoding: 'binary' });
    await catalog.put(Buffer.from('state'), Buffer.from(serialize({ nextId: 1, format: 2 })));
    await environment.close();
    const error = await errorOf(startEmbeddedMongo({ directory: newer, log: silentLog }));
    expect(error.message).to.match(/^[^\n]*format 2[^\n]*$/);
    await rm(newer, { recursive: true });
  });

  it(`loses nothing acknowledged and keeps indexes whole over ${ROUNDS} kill -9 in the middle of writes`, async function () {
    const inserted = new Set<number>();
    const counted = new Map<string, number>();
    for (let round = 0; round < ROUNDS; round++) {
      const child = startWriting(directory);
      let wanted = 200 + round * 137;
      const enough = new Promise<void>((resolve) => {
        child.on('message', (message: Acknowledged) => {
          if (message.kind === 'inserted') inserted.add(message.n);
          else counted.set(message.counter, message.value);
          if (--wanted === 0) resolve();
        });
      });
      await enough;
      await kill(child);

      await withDatabase(async (client) => {
        const writes = client.db('kill').collection<{ n: number; group: number }>('writes');
        const stored = new Set((await writes.find().toArray()).map(({ n }) => n));
        expect([...inserted].filter((n) => !stored.has(n))).to.deep.equal([]);
        const indexed = await writes.find({ group: { $gte: 0 } }, { hint: 'group_1' }).toArray();
        expect(new Set(indexed.map(({ n }) => n))).to.deep.equal(stored);
        expect(indexed.length).to.equal(stored.size);
        const counters = client.db('kill').collection<{ _id: string; value: number }>('counters');
        for (const { _id, value } of await counters.find().toArray())
          expect(value).to.be.at.least(counted.get(_id) ?? 0);
        expect(await counters.countDocuments()).to.be.at.least(counted.size);
      });
    }
    expect(inserted.size).to.be.greaterThan(ROUNDS * 50);
  });
});

function startWriting(directory: string): ChildProcess {
  return fork(new URL('../../testing/writing-process.js', import.meta.url), [directory], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}
