import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { windowsShared } from '../../gateway/rates/shared-windows.js';
import type { RateWindows } from '../../gateway/rates/rate-windows.js';
import { systemClock } from '../../kit/async/clock.js';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../embedded-mongo/embedded-mongo.js';
import { silentLog } from '../../kit/log/log.js';
import { type MongoConnection, openMongo } from '../../kit/db/mongo.js';
import { startEdge } from '../../testing/edge-world.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { until } from '../../testing/until.js';
import { DatabaseProxy } from './database-proxy.js';

describe('rate limits that gateways share, while the database fails', function () {
  let directory: string;
  let server: EmbeddedMongo;
  let proxy: DatabaseProxy;
  let connection: MongoConnection;
  let clock: FakeClock;
  let windows: RateWindows;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-rates-'));
    server = await startEmbeddedMongo({ directory, log: silentLog });
  });
  after(async () => {
    await server.close();
    rmSync(directory, { recursive: true });
  });
  let run = 0;
  beforeEach(async () => {
    proxy = await DatabaseProxy.open(server.url);
    connection = openMongo({ url: proxy.url, database: `rates_${run++}`, log: silentLog });
    clock = new FakeClock();
    windows = windowsShared(connection.database, clock, silentLog)('key', 60);
  });
  afterEach(async () => {
    await connection.close();
    await proxy.close();
  });

  /** Counts one request, turning the clock to the longest wait when the database does not respond. */
  async function countOrWait(): Promise<{ count: number; waited: boolean }> {
    let result: number | undefined;
    const counting = Promise.resolve(windows.count('a')).then(({ count }) => {
      result = count;
    });
    await systemClock.sleep(100);
    const waited = result === undefined;
    if (waited) clock.turn(1_000);
    await counting;
    return { count: result ?? NaN, waited };
  }

  const count = async (): Promise<number> => (await windows.count('a')).count;

  const faults: [what: string, begin: () => unknown, end: () => unknown][] = [
    ['is away', () => proxy.goAway(), () => proxy.comeBack()],
    ['hangs', () => proxy.freeze(), () => proxy.thaw()],
    [
      'fails each write',
      () => proxy.order('not primary', { name: 'findAndModify', times: 1_000 }),
      () => proxy.cancelAll(),
    ],
  ];
  for (const [what, begin, end] of faults) {
    it(`are counted alone while the database ${what}, without waiting, and together once it is back`, async () => {
      expect([await count(), await count()]).to.deep.equal([1, 2]);
      await begin();
      expect((await countOrWait()).count).to.equal(1);
      // For 5 s no request waits, and none reaches the database.
      const seen = proxy.seen('findAndModify');
      expect([await count(), await count()]).to.deep.equal([2, 3]);
      clock.turn(4_000);
      expect(await count()).to.equal(4);
      expect(proxy.seen('findAndModify')).to.equal(seen);
      clock.turn(1_000);
      // One request tries again, and the others do not wait for it.
      const trial = countOrWait();
      expect(await count()).to.equal(5);
      expect((await trial).count).to.equal(6);
      await end();
      await until(async () => {
        clock.turn(5_000);
        return !(await countOrWait()).waited && !(await countOrWait()).waited && proxy.seen('findAndModify') > seen;
      }, 20_000);
      clock.turn(60_000);
      // The other gateway counts the same windows.
      const other = windowsShared(connection.database, new FakeClock(), silentLog)('key', 60);
      const first = await count();
      expect((await other.count('a')).count).to.equal(first + 1);
      expect(await count()).to.equal(first + 2);
    });
  }

  it('do not keep a gateway from starting without its database, and are shared once that is there', async () => {
    await proxy.goAway();
    const edge = await startEdge(
      { model: { listModels: () => ({}) } },
      { limits: { maxKeyRequests: 60 }, openWindows: windowsShared(connection.database, clock, silentLog) },
    );
    const remaining = async (): Promise<number> =>
      Number((await edge.call('/v1/models')).headers.get('ratelimit-remaining'));
    try {
      const first = remaining();
      await systemClock.sleep(100);
      clock.turn(1_000);
      expect([await first, await remaining()]).to.deep.equal([59, 58]);
      await proxy.comeBack();
      clock.turn(5_000);
      const again = await remaining();
      expect(await remaining()).to.equal(again - 1);
      const collection = connection.database.collection('rate_windows');
      expect(await collection.findOne({ key: 'key:key_1' })).to.have.property('points', 60 - again + 1);
      const indexes = await collection.indexes();
      expect(indexes.map(({ key }) => key))
        .to.deep.include({ key: 1 })
        .and.to.deep.include({ expire: -1 });
    } finally {
      await edge.close();
    }
  });
});
