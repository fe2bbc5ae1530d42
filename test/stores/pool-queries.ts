import { type LeaseWait, LeaseWaitStore } from '../../device-service/store/lease-waits.js';
import { type PoolDocument, PoolStore } from '../../device-service/store/pools.js';
import { bounded, NO_QUERY, type StoreUnderTest } from './describe-queries.js';
import { DOCUMENTS, filled, first, idOf, minuteOf, OF_TENANT } from './tenants.js';

const FEW_POOLS = 'an account has at most 50 pools';

/** One in six is being deleted. */
const pools = filled(({ at, number, accountId }): PoolDocument => ({
  ...{ _id: idOf('pool', at), accountId, name: idOf('p', number), createdBy: `key_${number % 3}` },
  ...(number % 6 === 1 ? { deleting: true as const } : { nameKey: `${accountId}/${idOf('p', number)}` }),
  maker: { id: `key_${number % 3}`, isOwner: false },
  description: {
    ...(number % 2 === 0 ? { template: 'golden' } : { model: 'phone-720p' }),
    ...{ network: { type: 'direct', country: 'us' }, plan: 'minute', apps: ['my/shop'], labels: [] },
  },
  ...{ version: 1, ready: 1, most: 2, createdAt: minuteOf(at), runId: idOf('run', at), leaseUntil: minuteOf(at) },
  warm: { day: '2026-01-01', minutes: 3 },
}));
const pool = first(pools, ({ accountId, deleting }) => accountId === 'acc_1' && deleting === undefined);
const gone = first(pools, ({ deleting }) => deleting === true);
const page = { accountId: 'acc_1', createdBy: undefined, limit: 5 };
const ofAccount = (call: (store: PoolStore) => unknown) => bounded(FEW_POOLS, OF_TENANT, call);
const lease = { runId: 'run_2', leaseUntil: minuteOf(1) };

export const poolQueries: StoreUnderTest<PoolStore> = {
  name: 'pools',
  collection: 'pools',
  documents: pools,
  open: (database) => new PoolStore(database),
  createIndexes: (database) => new PoolStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    insert: NO_QUERY,
    find: [(store) => store.find(pool._id)],
    findByName: [(store) => store.findByName('acc_1', pool.name)],
    change: [(store) => store.change(pool, { description: pool.description, ready: 2, most: 4, maker: pool.maker })],
    beginDelete: [(store) => store.beginDelete(pool._id)],
    deleteAll: [(store) => store.deleteAll('acc_1')],
    forget: [(store) => store.forget(gone._id)],
    count: [ofAccount((store) => store.count('acc_1'))],
    list: [
      (store) => store.list(page),
      ofAccount((store) => store.list({ ...page, createdBy: 'key_1', afterName: idOf('p', 3) })),
    ],
    listAll: [bounded('the worker reads all pools', DOCUMENTS, (store) => store.listAll())],
    take: [(store) => store.take(pool, lease)],
    renew: [(store) => store.renew(pool, minuteOf(1))],
    release: [(store) => store.release([pool])],
    note: [
      (store) => store.note(pool, {}),
      (store) => store.note(pool, { failed: { tries: 1, at: minuteOf(0), retryAt: minuteOf(1) } }),
    ],
    addWarm: [(store) => store.addWarm(pool._id, '2026-01-01', 2), (store) => store.addWarm(pool._id, '2026-01-02', 2)],
    usersOfTemplate: [ofAccount((store) => store.usersOfTemplate('acc_1', 'golden'))],
    usersOfApp: [ofAccount((store) => store.usersOfApp('acc_1', 'my/shop'))],
  },
};

const waits = filled(({ at, accountId }): LeaseWait => ({
  ...{ _id: idOf('lsw', at), accountId, wanted: { label: 'team:qa' } },
  aliveUntil: new Date(Date.UTC(2100, 0, 1)),
}));
const wait = first(waits, ({ accountId }) => accountId === 'acc_1');

export const leaseWaitQueries: StoreUnderTest<LeaseWaitStore> = {
  name: 'calls that wait for leases',
  collection: 'lease_waits',
  documents: waits,
  open: (database) => new LeaseWaitStore(database),
  createIndexes: (database) => new LeaseWaitStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    insert: NO_QUERY,
    keep: [(store) => store.keep(wait._id, new Date(Date.UTC(2100, 0, 2)))],
    remove: [(store) => store.remove(wait._id)],
    list: [(store) => store.list('acc_1', minuteOf(0)), (store) => store.list('acc_1', minuteOf(0), idOf('lsw', 200))],
  },
};
