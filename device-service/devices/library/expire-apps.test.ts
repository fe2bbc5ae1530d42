import { expect } from 'chai';
import { silentLog } from '../../../kit/log/log.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { openStores, type Stores } from '../../store/stores.js';
import { LIBRARY_READ_AT_ONCE } from '../limits.js';
import { expireApps } from './expire-apps.js';

const KEPT_MS = 90 * 86_400_000;
const SHA = 'a'.repeat(64);

describe('apps of libraries that nobody uses', () => {
  let opened: TemporaryDatabase;
  let stores: Stores;
  let clock: FakeClock;
  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    clock = new FakeClock();
    stores = await openStores(opened.database, { clock, log: silentLog });
  });
  afterEach(() => opened.close());

  const put = (name: string, accountId = 'acc_1'): Promise<unknown> =>
    stores.library.put({
      ...{ accountId, name, package: 'org.example', version: '1', sizeBytes: 7, sha256: SHA },
      uploadedAt: new Date(clock.now()),
    });
  const expire = (keptMs = KEPT_MS): Promise<void> =>
    expireApps({ ...stores, clock, log: silentLog }, keptMs, new AbortController().signal);
  const names = async (accountId = 'acc_1'): Promise<string[]> =>
    (await stores.library.list(accountId, 1_000)).map(({ name }) => name);

  it('are removed after their days, counted from the upload or the last use', async () => {
    await put('old');
    await put('used');
    await put('another', 'acc_2');
    clock.turn(KEPT_MS);
    await stores.library.noteUse('acc_1', 'used', SHA, new Date(clock.now()));
    await expire();
    expect(await names()).to.deep.equal(['old', 'used']);
    clock.turn(1);
    await put('new');
    await expire();
    expect([await names(), await names('acc_2')]).to.deep.equal([['new', 'used'], []]);
    clock.turn(KEPT_MS + 1);
    await expire();
    expect(await names()).to.deep.equal([]);
  });

  it('stay for ever with 0 days', async () => {
    await put('old');
    clock.turn(100 * KEPT_MS);
    await expire(0);
    expect(await names()).to.deep.equal(['old']);
  });

  it('stay while a pool names them, and keep their own time of the last use', async () => {
    await put('shop');
    await opened.database.collection('pools').insertOne({
      _id: 'pool_1' as never,
      ...{ accountId: 'acc_1', name: 'ready', nameKey: 'acc_1/ready', description: { apps: ['maps', 'my/shop'] } },
    });
    for (let times = 0; times < 3; times++) {
      clock.turn(KEPT_MS + 1);
      await expire();
    }
    expect((await stores.library.find('acc_1', 'shop'))?.lastUsedAt).to.equal(undefined);
    await opened.database.collection('pools').deleteMany({});
    clock.turn(KEPT_MS + 1);
    await expire();
    expect(await names()).to.deep.equal([]);
  });

  it('are all removed when there are more than are read at a time', async () => {
    for (let at = 0; at < LIBRARY_READ_AT_ONCE + 5; at++) await put(`app${at}`);
    clock.turn(KEPT_MS + 1);
    await expire();
    expect(await names()).to.deep.equal([]);
  });

  it('stay when they are used after they were read', async () => {
    await put('shop');
    const read = (await stores.library.find('acc_1', 'shop'))!;
    clock.turn(KEPT_MS + 1);
    await stores.library.noteUse('acc_1', 'shop', SHA, new Date(clock.now()));
    expect(await stores.library.removeIdle(read)).to.equal(false);
    await stores.library.postpone(read, new Date(0));
    expect((await stores.library.find('acc_1', 'shop'))?.idleSince.getTime()).to.equal(clock.now());
  });
});
