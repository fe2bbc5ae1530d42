import { expect } from 'chai';
import type { Db, IndexDescription } from 'mongodb';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../test/temporary-database.js';
import { openStores } from './stores.js';

const AT_WORK = { 'job.id': { $exists: true } };

/** The indexes of the first releases, before there were migrations. */
const FIRST: Record<string, IndexDescription[]> = {
  accounts: [{ key: { email: 1 }, name: 'email', unique: true }],
  devices: [
    { key: { nameKey: 1 }, name: 'name', unique: true, sparse: true },
    { key: { accountId: 1, name: 1 }, name: 'account_name' },
    { key: { accountId: 1, 'job.id': 1 }, name: 'account_at_work', partialFilterExpression: AT_WORK },
    { key: { hostId: 1, 'job.id': 1 }, name: 'host_at_work', partialFilterExpression: AT_WORK },
    { key: { 'finished.id': 1 }, name: 'unfiled', sparse: true },
    { key: { hostId: 1, state: 1 }, name: 'host_state' },
    { key: { 'healthEvents.id': 1 }, name: 'health_events', sparse: true },
    { key: { hostId: 1, plan: 1 }, name: 'host_plan' },
  ],
  idempotency: [{ key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 }],
  jobs: [
    { key: { accountId: 1, _id: -1 }, name: 'account' },
    { key: { accountId: 1, device: 1, _id: -1 }, name: 'account_device' },
    { key: { eventPending: 1 }, name: 'event_pending', sparse: true },
    { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
  keys: [
    { key: { digest: 1 }, name: 'digest', unique: true },
    { key: { accountId: 1, _id: 1 }, name: 'account_keys' },
  ],
  ledger: [
    { key: { dedupe: 1 }, name: 'dedupe', unique: true },
    { key: { accountId: 1, at: 1 }, name: 'account_at' },
  ],
  reservations: [{ key: { expiresAt: 1 }, name: 'expires' }],
  sessions: [
    { key: { id: 1 }, name: 'id', unique: true },
    { key: { accountId: 1 }, name: 'account' },
    { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
  topups: [{ key: { accountId: 1, _id: 1 }, name: 'account' }],
};

/** Indexes that no query uses any more, but that stay. */
const LEFT_OVER = ['ledger account_at {"accountId":1,"at":1}'];

describe('the start on the data of an older release', () => {
  const opened: TemporaryDatabase[] = [];
  const fresh = async (): Promise<Db> => {
    opened.push(await openTemporaryDatabase());
    return opened.at(-1)!.database;
  };
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });

  const open = (database: Db): Promise<unknown> => openStores(database, { clock: systemClock, log: silentLog });
  const makeOlder = async (database: Db, indexes = FIRST): Promise<void> => {
    for (const [name, some] of Object.entries(indexes)) await database.collection(name).createIndexes(some);
  };
  /** Returns every index of the collections that today's release makes, as lines. */
  const indexesOf = async (database: Db): Promise<string[]> => {
    const names = [...Object.keys(FIRST), 'groups', 'schedules', 'snapshots'];
    const lists = await Promise.all(names.map((name) => database.collection(name).indexes()));
    return lists.flatMap((list, at) =>
      list.map(({ v: _version, name, key, ...options }) => {
        const more = Object.keys(options).length > 0 ? ` ${JSON.stringify(options)}` : '';
        return `${names[at] ?? ''} ${name ?? ''} ${JSON.stringify(key)}${more}`;
      }),
    );
  };

  it('makes the indexes of today beside those of the first releases', async () => {
    const [older, today] = [await fresh(), await fresh()];
    await makeOlder(older);
    await open(older);
    await open(today);
    expect(await indexesOf(older)).to.have.members([...(await indexesOf(today)), ...LEFT_OVER]);
  });

  it('replaces indexes whose definitions changed', async () => {
    const [older, today] = [await fresh(), await fresh()];
    await makeOlder(older, {
      devices: [
        { key: { hostId: 1 }, name: 'host_at_work' },
        { key: { nameKey: 1 }, name: 'unique_name', unique: true, sparse: true },
      ],
      jobs: [{ key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 60 }],
    });
    await open(older);
    await open(today);
    expect(await indexesOf(older)).to.have.members(await indexesOf(today));
  });
});
