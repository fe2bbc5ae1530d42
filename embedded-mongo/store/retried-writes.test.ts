import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Long, serialize, UUID } from 'bson';
import { expect } from 'chai';
import { type Db, type Document, MongoClient } from 'mongodb';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import { Frames } from '../wire/frames.js';
import { parseMessage } from '../wire/message.js';
import { databaseAddress } from '../../testing/database-address.js';
import { runServer, type RunningServer } from '../server.js';

describe('a write that is sent again', () => {
  let directory: string;
  let server: RunningServer;
  let client: MongoClient;
  let database: Db;
  let nowMs = Date.parse('2030-01-01T00:00:00Z');

  const open = async (): Promise<void> => {
    const clock = { ...systemClock, now: () => nowMs };
    server = await runServer({ directory, clock, log: silentLog });
    client = await MongoClient.connect(server.url);
    database = client.db('retried');
  };
  const close = async (): Promise<void> => {
    await client.close();
    await server.close();
  };
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'embedded-mongo-'));
    await open();
  });
  after(async () => {
    await close();
    await rm(directory, { recursive: true });
  });
  beforeEach(async () => {
    await database.collection<{ _id: string; n: number }>('c').deleteMany({});
    await database.collection<{ _id: string; n: number }>('c').insertOne({ _id: 'a', n: 0 });
  });

  /** Sends a command as it is: the driver would put its own session in the place of ours. */
  const send = async (command: Document): Promise<Document> => {
    const socket = connect(databaseAddress(server.url));
    const body = serialize({ ...command, $db: 'retried' });
    const head = Buffer.alloc(21);
    head.writeInt32LE(head.length + body.length, 0);
    head.writeInt32LE(2013, 12);
    socket.write(Buffer.concat([head, body]));
    try {
      for await (const chunk of socket) {
        for (const message of new Frames().push(chunk as Buffer)) return parseMessage(message).body;
      }
      throw new Error('no reply');
    } finally {
      socket.destroy();
    }
  };
  const newSession = (): Document => ({ id: new UUID(randomUUID()) });
  const increment = (lsid: Document, number: number): Promise<Document> =>
    send({
      findAndModify: 'c',
      query: { _id: 'a' },
      update: { $inc: { n: 1 } },
      new: true,
      lsid,
      txnNumber: Long.fromNumber(number),
    });
  const valueOf = ({ value }: Document): unknown => (value as { n: number }).n;

  it('has the reply that it had', async () => {
    const lsid = newSession();
    expect(valueOf(await increment(lsid, 1))).to.equal(1);
    expect(valueOf(await increment(newSession(), 1))).to.equal(2);
    expect(valueOf(await increment(lsid, 1))).to.equal(1);
    expect(valueOf(await increment(lsid, 2))).to.equal(3);
  });

  it('has it after a restart of the server too', async () => {
    const lsid = newSession();
    await increment(lsid, 7);
    await close();
    await open();
    expect(valueOf(await increment(lsid, 7))).to.equal(1);
  });

  it('that failed in part fails in the same part', async () => {
    const insert = {
      insert: 'c',
      documents: [{ _id: 'b' }, { _id: 'a' }, { _id: 'c' }],
      ordered: true,
      lsid: newSession(),
      txnNumber: Long.fromNumber(1),
    };
    const replies = [await send(insert), await send(insert)];
    expect(replies.map(({ n, writeErrors }) => [n, (writeErrors as Document[])[0]?.['index']])).to.deep.equal([
      [1, 1],
      [1, 1],
    ]);
  });

  it('is done anew when it had changed nothing', async () => {
    const update = {
      update: 'c',
      updates: [{ q: { _id: 'later' }, u: { $set: { n: 5 } } }],
      lsid: newSession(),
      txnNumber: Long.fromNumber(1),
    };
    expect(await send(update)).to.include({ n: 0 });
    await database.collection<{ _id: string }>('c').insertOne({ _id: 'later' });
    expect(await send(update)).to.include({ n: 1, nModified: 1 });
    expect(await send(update)).to.include({ n: 1, nModified: 1 });
  });

  it('is refused when its session has gone on, or has no name', async () => {
    const lsid = newSession();
    await increment(lsid, 2);
    expect(await increment(lsid, 1)).to.include({ ok: 0, code: 225 });
    expect(await increment({ id: 'me' }, 1)).to.include({ ok: 0, code: 72 });
    expect(await send({ ping: 1, lsid, txnNumber: Long.fromNumber(3) })).to.include({ ok: 0, code: 238 });
  });

  it('is forgotten when the driver ends its session, and an hour after the last write', async () => {
    const [ended, idle, used] = [newSession(), newSession(), newSession()];
    for (const session of [ended, idle]) await increment(session, 1);
    await send({ endSessions: [ended] });
    nowMs += 50 * 60_000;
    await increment(used, 1);
    nowMs += 11 * 60_000;
    await server.sweeper.sweep();
    expect(valueOf(await increment(used, 1))).to.equal(3);
    expect(valueOf(await increment(ended, 1))).to.equal(4);
    expect(valueOf(await increment(idle, 1))).to.equal(5);
  });
});
