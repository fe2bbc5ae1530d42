import { type HostDocument, HostStore } from '../../device-service/store/hosts.js';
import { type SnapshotDocument, SnapshotStore } from '../../device-service/store/snapshots.js';
import { bounded, NO_QUERY, type StoreUnderTest } from './describe-queries.js';
import { DOCUMENTS, filled, first, idOf, minuteOf, OF_HOST } from './tenants.js';

const FEW_HOSTS = 'there are few hosts';

const hosts = filled(({ at }): HostDocument => ({
  _id: idOf('host', at),
  folderId: '',
  epoch: 1,
  leaseUntil: minuteOf(at),
  seenAt: minuteOf(at),
  drivers: [],
  ...(at % 10 === 0 && { forgotten: true }),
  ...(at % 10 === 1 && { moving: 'now' }),
}));
const host = first(hosts, ({ forgotten }) => forgotten !== true);
const emptied = first(hosts, ({ moving }) => moving !== undefined);

export const hostQueries: StoreUnderTest<HostStore> = {
  name: 'hosts',
  collection: 'hosts',
  documents: hosts,
  open: (database) => new HostStore(database),
  calls: {
    insert: NO_QUERY,
    take: [(store) => store.take(host, { seenAt: minuteOf(1) })],
    renew: [(store) => store.renew(host, { seenAt: minuteOf(1) })],
    find: [(store) => store.find(host._id)],
    list: [(store) => store.list()],
    listForgotten: [bounded(FEW_HOSTS, DOCUMENTS, (store) => store.listForgotten())],
    drain: [(store) => store.drain(host._id, true)],
    noteMoveProblems: [(store) => store.noteMoveProblems(emptied._id, ['why'])],
    forget: [(store) => store.forget(host)],
  },
};

/** Snapshots of ten phones of each account; one in ten is being saved, and one in ten being deleted. */
const snapshots = filled(({ at, number, accountId, hostId }): SnapshotDocument => ({
  _id: idOf('snap', at),
  accountId,
  phoneId: `${accountId}_${number % 10}`,
  jobId: idOf('job', at),
  hostId,
  driver: 'simulated',
  label: '',
  state: number % 10 === 0 ? 'saving' : number % 10 === 1 ? 'deleting' : 'ready',
  sizeBytes: 1,
  model: 'phone-720p',
  android: '14',
  createdAt: minuteOf(at),
}));
const saving = first(snapshots, ({ state }) => state === 'saving');
const ready = first(snapshots, ({ state }) => state === 'ready');
const deleting = first(snapshots, ({ state }) => state === 'deleting');

export const snapshotQueries: StoreUnderTest<SnapshotStore> = {
  name: 'snapshots',
  collection: 'snapshots',
  documents: snapshots,
  open: (database) => new SnapshotStore(database),
  createIndexes: (database) => new SnapshotStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    begin: [(store) => store.begin(ready)],
    find: [(store) => store.find(ready._id)],
    findByIds: [(store) => store.findByIds([ready._id, saving._id])],
    list: [(store) => store.list(ready.phoneId, 3), (store) => store.list(ready.phoneId, DOCUMENTS, idOf('snap', 200))],
    storageBytes: [(store) => store.storageBytes('acc_1')],
    count: [(store) => store.count(ready.phoneId)],
    findOfPhone: [(store) => store.findOfPhone(ready.phoneId)],
    findOpenOfHost: [(store) => store.findOpenOfHost('host_1')],
    saved: [(store) => store.saved(saving._id, { sizeBytes: 1, checksum: '' })],
    fail: [(store) => store.fail(saving._id)],
    beginDelete: [(store) => store.beginDelete(ready._id)],
    keep: [(store) => store.keep(deleting._id)],
    forget: [(store) => store.forget(deleting._id)],
    movePhone: [(store) => store.movePhone(ready.phoneId, 'host_2')],
    findWithoutCopy: [
      bounded('ready snapshots of a host, once a minute', OF_HOST, (store) =>
        store.findWithoutCopy('host_1', ['simulated'], 3),
      ),
    ],
    countWithoutCopy: [
      bounded('ready snapshots of a host, at each scrape', OF_HOST, (store) =>
        store.countWithoutCopy('host_1', ['simulated']),
      ),
    ],
    beginCopy: [(store) => store.beginCopy(ready._id)],
    copied: [(store) => store.copied(ready._id, { sizeBytes: 1, checksum: '' })],
    moveHost: [bounded('all snapshots of a host, once', OF_HOST, (store) => store.moveHost('host_1', 'host_2'))],
  },
};
