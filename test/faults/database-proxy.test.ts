import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Collection, MongoClient, MongoNetworkError, MongoServerError } from 'mongodb';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../embedded-mongo/embedded-mongo.js';
import { silentLog } from '../../kit/log/log.js';
import { DatabaseProxy, type Fault } from './database-proxy.js';

interface Counter {
  _id: string;
  n: number;
}

describe('the proxy that makes a database fail', () => {
  let directory: string;
  let server: EmbeddedMongo;
  let proxy: DatabaseProxy;
  let direct: MongoClient;
  let throughProxy: MongoClient;
  let counters: Collection<Counter>;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-proxy-'));
    server = await startEmbeddedMongo({ directory, log: silentLog });
    direct = await MongoClient.connect(server.url);
  });
  after(async () => {
    await direct.close();
    await server.close();
    rmSync(directory, { recursive: true });
  });
  beforeEach(async () => {
    proxy = await DatabaseProxy.open(server.url);
    // Nothing is tried again, so that each fault shows as it is.
    throughProxy = await MongoClient.connect(proxy.url, { retryReads: false, retryWrites: false });
    counters = throughProxy.db('faults').collection('counters');
    await stored().deleteMany({});
    await stored().insertOne({ _id: 'a', n: 0 });
  });
  afterEach(async () => {
    await throughProxy.close();
    await proxy.close();
  });

  const stored = (): Collection<Counter> => direct.db('faults').collection('counters');
  const storedN = async (): Promise<number | undefined> => (await stored().findOne({ _id: 'a' }))?.n;
  const increment = (): Promise<Counter | null> =>
    counters.findOneAndUpdate({ _id: 'a' }, { $inc: { n: 1 } }, { returnDocument: 'after' });
  const failureOf = async (work: Promise<unknown>): Promise<unknown> => {
    try {
      await work;
      return undefined;
    } catch (error) {
      return error;
    }
  };

  it('passes everything on while nothing is ordered', async () => {
    expect(await increment()).to.deep.equal({ _id: 'a', n: 1 });
    const large = 'x'.repeat(3_000_000);
    await counters.insertMany(['b', 'c', 'd', 'e', 'f'].map((_id) => ({ _id, n: 0, large })));
    expect(await counters.find().toArray()).to.have.length(6);
    expect(proxy.seen('findAndModify')).to.equal(1);
  });

  const resets: [Fault & string, number][] = [
    ['reset before', 0],
    ['reset after', 1],
    ['reset in reply', 1],
  ];
  for (const [fault, written] of resets) {
    it(`can ${fault}: the client has a network error, the database ${written === 0 ? 'no' : 'the'} write`, async () => {
      const ordered = proxy.order(fault, { name: 'findAndModify' });
      expect(await failureOf(increment())).to.be.instanceOf(MongoNetworkError);
      await ordered.done;
      expect(await storedN()).to.equal(written);
      expect((await increment())?.n).to.equal(written + 1);
    });
  }

  it('can reply NotWritablePrimary, without the write', async () => {
    proxy.order('not primary', { name: 'findAndModify' });
    const failure = await failureOf(increment());
    expect(failure).to.be.instanceOf(MongoServerError).with.property('code', 10_107);
    expect(failure).to.have.property('errorLabels').that.does.not.include('RetryableWriteError');
    expect(await storedN()).to.equal(0);
  });

  it('can reply WriteConcernFailed, with the write done', async () => {
    for (const [name, write] of [
      ['findAndModify', increment],
      ['update', () => counters.updateOne({ _id: 'a' }, { $inc: { n: 1 } })],
      ['insert', () => counters.insertOne({ _id: 'w', n: 0 })],
    ] as const) {
      proxy.order('write concern failed', { name });
      const failure = await failureOf(write());
      expect(failure, name).to.be.instanceOf(MongoServerError).with.property('code', 64);
    }
    expect(await storedN()).to.equal(2);
    expect(await stored().findOne({ _id: 'w' })).not.to.equal(null);
  });

  it('can delay', async () => {
    proxy.order({ delayMs: 120 }, { name: 'findAndModify' });
    const beganMs = performance.now();
    expect((await increment())?.n).to.equal(1);
    expect(performance.now() - beganMs).to.be.greaterThan(115);
  });

  it('can hang one command and its connection, and no other', async () => {
    const hung = proxy.order('hang', { name: 'findAndModify' });
    const controller = new AbortController();
    const caught = failureOf(throughProxy.db('faults').command(findAndModify(), { signal: controller.signal }));
    await hung.done;
    expect((await counters.findOne({ _id: 'a' }))?.n).to.equal(0);
    controller.abort(new Error('waited enough'));
    expect(await caught).to.have.property('message', 'waited enough');
    expect(await storedN()).to.equal(0);
  });

  it('picks commands by name, collection and count', async () => {
    const others = throughProxy.db('faults').collection('others');
    const ordered = proxy.order('reset before', { name: 'find', collection: 'counters', skip: 1, times: 2 });
    const outcomes: boolean[] = [];
    for (let n = 0; n < 4; n++) {
      await others.findOne({});
      outcomes.push((await failureOf(counters.findOne({}))) === undefined);
    }
    expect(outcomes).to.deep.equal([true, false, false, true]);
    expect(ordered.met).to.equal(2);
    const cancelled = proxy.order('reset before');
    cancelled.cancel();
    await counters.findOne({});
    expect(cancelled.met).to.equal(0);
  });

  it('can go away and come back', async () => {
    await increment();
    await proxy.goAway();
    expect(proxy.connections).to.equal(0);
    const impatient = new MongoClient(proxy.url, { serverSelectionTimeoutMS: 100 });
    expect(await failureOf(impatient.connect())).to.have.property('name', 'MongoServerSelectionError');
    await impatient.close();
    await proxy.comeBack();
    const patient = await MongoClient.connect(proxy.url);
    expect((await patient.db('faults').collection<Counter>('counters').findOne({ _id: 'a' }))?.n).to.equal(1);
    await patient.close();
  });

  it('can cut all connections at once', async () => {
    await Promise.all(Array.from({ length: 5 }, increment));
    expect(proxy.connections).to.be.greaterThan(1);
    proxy.cutAll();
    expect(proxy.connections).to.equal(0);
  });

  it('can freeze everything and let it go on', async () => {
    await increment();
    proxy.freeze();
    let isDone = false;
    const waiting = increment().then((counter) => {
      isDone = true;
      return counter;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isDone).to.equal(false);
    expect(await storedN()).to.equal(1);
    proxy.thaw();
    expect((await waiting)?.n).to.equal(2);
  });
});

const findAndModify = (): Record<string, unknown> => ({
  findAndModify: 'counters',
  query: { _id: 'a' },
  update: { $inc: { n: 1 } },
});
