import { DeviceStore } from '../../device-service/store/devices.js';
import type { DeviceClaims } from '../../device-service/store/device-claims.js';
import type { DeviceHandovers } from '../../device-service/store/device-handovers.js';
import type { DeviceLeases } from '../../device-service/store/device-leases.js';
import type { DevicePools } from '../../device-service/store/device-pools.js';
import type { DeviceSettings } from '../../device-service/store/device-settings.js';
import type { HostDevices } from '../../device-service/store/host-devices.js';
import {
  atWork,
  devices,
  fromTemplate,
  handedOver,
  idle,
  leased,
  leaseOver,
  pooled,
  slotted,
  unfiled,
  unused,
  withEvent,
} from './device-documents.js';
import { bounded, NO_QUERY, type StoreUnderTest } from './describe-queries.js';
import { idOf, minuteOf, OF_HOST, OF_TENANT } from './tenants.js';

const OF_ACCOUNT = 'an account has at most QUOTA_DEVICES devices, and each index costs every job a write';
const ON_HOST = 'a host has some hundred devices, and each index costs every job a write';
const OWN_START = 'every device of the host, once at the start of its process';

const collection: Omit<StoreUnderTest<unknown>, 'name' | 'open' | 'calls'> = {
  collection: 'devices',
  documents: devices,
  createIndexes: (database) => new DeviceStore(database).createIndexes(),
};
const job = { id: 'job_new', kind: 'stop', createdAt: minuteOf(0), progress: 0 } as const;
const seen = { names: [idOf('d', 4), idOf('d', 55)], keyId: 'key_1' };
const seenByLabel = { names: [], label: 'team:qa', keyId: 'ses_1', memberId: 'mem_1' };
const within = { names: [idOf('d', 4)], label: 'team:qa', madeBy: 'mem_1' };
const seenWithin = { isAll: true as const, names: [], keyId: 'key_1', within };
const ofAccount = (call: (store: DeviceStore) => unknown) => bounded(OF_ACCOUNT, OF_TENANT, call);
const ofAccountLeases = <Store>(call: (store: Store) => unknown) => bounded(OF_ACCOUNT, OF_TENANT, call);
const page = { accountId: 'acc_1', seen: undefined, afterName: undefined, limit: 5 };
const rest = { ...page, afterName: idOf('d', 30), limit: OF_TENANT };
const jobsPage = { accountId: 'acc_1', seen: undefined, device: undefined, beforeJobId: undefined, limit: 5 };
const { job: jobAtWork, finished: [finished] = [] } = { ...atWork, ...unfiled, job: atWork.job };

export const deviceQueries: StoreUnderTest<DeviceStore> = {
  name: 'devices',
  ...collection,
  open: (database) => new DeviceStore(database),
  calls: {
    createIndexes: NO_QUERY,
    insert: NO_QUERY,
    settings: NO_QUERY,
    claims: NO_QUERY,
    leases: NO_QUERY,
    handovers: NO_QUERY,
    pools: NO_QUERY,
    ofHost: NO_QUERY,
    findTakenSlots: [(store) => store.findTakenSlots([slotted.slotKey ?? '', 'none'])],
    findByName: [(store) => store.findByName('acc_1', idle.name)],
    findNames: [(store) => store.findNames('acc_1', [idle.name, 'none'])],
    findStorage: [(store) => store.findStorage('acc_1')],
    noteStorage: [(store) => store.noteStorage(idle, 1)],
    noteUse: [(store) => store.noteUse(idle._id, minuteOf(1))],
    lend: [(store) => store.lend([idle._id, atWork._id], minuteOf(1))],
    findById: [(store) => store.findById(idle._id)],
    findByIds: [(store) => store.findByIds([idle._id, atWork._id])],
    findMoves: [bounded('few jobs are at work at a time', devices.length, (store) => store.findMoves())],
    findLibraryUses: [bounded('few jobs are at work at a time', devices.length, (store) => store.findLibraryUses())],
    findLeftAt: [(store) => store.findLeftAt('host_1')],
    forgetLeft: [(store) => store.forgetLeft(idle._id, 'host_1')],
    findUnfiled: [ofAccount((store) => store.findUnfiled('acc_1'))],
    findBySnapshot: [(store) => store.findBySnapshot(atWork.job?.snapshot ?? '')],
    findByTemplate: [(store) => store.findByTemplate(fromTemplate.job?.template ?? '')],
    findRunning: [(store) => store.findRunning(devices.slice(0, 100).map(({ _id }) => _id))],
    findByJob: [
      (store) => store.findByJob('acc_1', jobAtWork?.id ?? ''),
      (store) => store.findByJob('acc_1', finished?.id ?? ''),
    ],
    list: [
      (store) => store.list(page),
      (store) => store.list(rest),
      (store) => store.list({ ...rest, state: 'running' }),
      (store) => store.list({ ...rest, problem: false }),
      ofAccount((store) => store.list({ ...rest, state: 'stopped' })),
      ofAccount((store) => store.list({ ...rest, problem: true })),
      ofAccount((store) => store.list({ ...rest, label: 'team:qa' })),
      ofAccount((store) => store.list({ ...page, seen })),
      ofAccount((store) => store.list({ ...page, seen: seenByLabel })),
      ofAccount((store) => store.list({ ...page, seen: seenWithin })),
      ofAccount((store) => store.list({ ...page, seen: { ...seenByLabel, within } })),
    ],
    listSeen: [
      ofAccount((store) => store.listSeen('acc_1', seenByLabel, OF_TENANT)),
      ofAccount((store) => store.listSeen('acc_1', seenWithin, OF_TENANT)),
    ],
    listAtWork: [
      (store) => store.listAtWork(jobsPage),
      (store) => store.listAtWork({ ...jobsPage, beforeJobId: idOf('job', 150), limit: OF_TENANT }),
      (store) => store.listAtWork({ ...jobsPage, device: atWork.name }),
      ofAccount((store) => store.listAtWork({ ...jobsPage, seen })),
    ],
    take: [(store) => store.take(idle._id, idle.hostId, idle.fence + 1)],
    noteJob: [(store) => store.noteJob(atWork, { progress: 1 })],
    notePhase: [(store) => store.notePhase(atWork, 'pulling')],
    replacePull: [
      async (store) => {
        await store.notePhase(atWork, 'pulling');
        return store.replacePull(atWork, job, job, { state: 'deleting' });
      },
    ],
    change: [(store) => store.change(atWork, { state: 'stopping' })],
    finish: [(store) => store.finish(atWork, job, { state: 'running' })],
    changeIdle: [(store) => store.changeIdle(idle, { state: 'failed' })],
    noteAddress: [(store) => store.noteAddress(idle, '192.0.2.1')],
    replaceExit: [(store) => store.replaceExit(idle, idle.exit)],
    forgetJobs: [(store) => store.forgetJobs([{ phoneId: unfiled._id, jobIds: [finished?.id ?? ''] }])],
    withDeviceEvents: [(store) => store.withDeviceEvents(200)],
    deviceEventsPublished: [
      (store) =>
        store.deviceEventsPublished([{ phoneId: withEvent._id, eventIds: [withEvent.deviceEvents?.[0]?.id ?? ''] }]),
    ],
    findRuns: [ofAccount((store) => store.findRuns('acc_1'))],
    listAll: [(store) => store.listAll(20), (store) => store.listAll(100, idOf('ph', 100))],
    listAllWithJobs: [(store) => store.listAllWithJobs()],
  },
};

export const deviceSettingQueries: StoreUnderTest<DeviceSettings> = {
  name: 'settings of devices',
  ...collection,
  open: (database) => new DeviceStore(database).settings,
  calls: {
    // A command of the operator reads every device.
    replaceProxies: NO_QUERY,
    replaceLabels: [(store) => store.replaceLabels(idle, ['team:qa'])],
    setTimeline: [(store) => store.setTimeline(idle._id, true)],
    setIdleStop: [(store) => store.setIdleStop(idle._id, 60, minuteOf(1))],
    changeConditions: [
      (store) => store.changeConditions(idle, { battery: { level: 5, charging: false }, location: null }),
    ],
  },
};

const leasesPage = { accountId: 'acc_1', seen: undefined, afterName: undefined, limit: 5 };
const event = { id: 'evt_1', type: 'lease.ended', at: minuteOf(0), lease: leased.lease!, reason: 'released' } as const;

export const deviceLeaseQueries: StoreUnderTest<DeviceLeases> = {
  name: 'leases of devices',
  ...collection,
  open: (database) => new DeviceStore(database).leases,
  calls: {
    begin: [(store) => store.begin(idle, leased.lease!, { ...event, type: 'lease.begun' })],
    renew: [(store) => store.renew(leased, new Date(0), minuteOf(1))],
    markEnded: [
      (store) => store.markEnded(leased, { at: minuteOf(0), reason: 'released' }),
      (store) => store.markEnded(leased, { at: minuteOf(0), reason: 'expired' }, minuteOf(10_000)),
    ],
    free: [(store) => store.free(leaseOver, { at: minuteOf(1), event })],
    findOver: [(store) => store.findOver(minuteOf(10_000), 100)],
    find: [(store) => store.find('acc_1', leased.lease?.id ?? '')],
    list: [
      ofAccountLeases((store) => store.list(leasesPage)),
      ofAccountLeases((store) => store.list({ ...leasesPage, seen, afterName: idOf('d', 1) })),
    ],
    findLeased: [(store) => store.findLeased(100)],
    findFree: [
      ofAccountLeases((store) => store.findFree({ accountId: 'acc_1', seen: undefined, label: 'team:qa', limit: 5 })),
    ],
  },
};

export const deviceClaimQueries: StoreUnderTest<DeviceClaims> = {
  name: 'claims of devices',
  ...collection,
  open: (database) => new DeviceStore(database).claims,
  calls: {
    unused: [(store) => store.unused(unused, job, { wanted: 'stopped' })],
    asRead: [(store) => store.asRead(idle, { ...job, kind: 'move' }, {})],
    byId: [
      (store) => store.byId(idle._id, ['running'], job, { wanted: 'stopped' }),
      (store) => store.byId(idle._id, ['running'], job, { wanted: 'stopped' }, { keyId: 'key_1' }),
    ],
    byName: [
      (store) =>
        store.byName(
          { accountId: 'acc_1', name: idle.name, keyId: 'key_1', seen: undefined, plan: undefined },
          ['running'],
          job,
          {
            wanted: 'stopped',
          },
        ),
    ],
  },
};

export const deviceHandoverQueries: StoreUnderTest<DeviceHandovers> = {
  name: 'hand-overs of devices',
  ...collection,
  open: (database) => new DeviceStore(database).handovers,
  calls: {
    begin: [(store) => store.begin(idle, handedOver.handover!)],
    take: [(store) => store.take(handedOver._id, handedOver.handover?.id ?? '', { at: minuteOf(1), by: 'ses_1' })],
    end: [
      (store) => store.end(handedOver, { at: minuteOf(1), state: 'done' }),
      (store) => store.end(handedOver, { at: minuteOf(1), state: 'expired' }, minuteOf(10_000)),
    ],
    findOver: [(store) => store.findOver(minuteOf(10_000), 100)],
  },
};

export const devicePoolQueries: StoreUnderTest<DevicePools> = {
  name: 'devices of pools',
  ...collection,
  open: (database) => new DeviceStore(database).pools,
  calls: {
    find: [(store) => store.find('pool_1')],
    findReady: [bounded('a pool has at most 200 phones', devices.length, (store) => store.findReady('pool_1', 5))],
    findUnready: [bounded('pools have some hundred phones', devices.length, (store) => store.findUnready('host_1', 5))],
    markFailing: [(store) => store.markFailing(idle, minuteOf(1))],
    markUnfit: [(store) => store.markUnfit(idle, 'broken')],
    markReady: [(store) => store.markReady(idle, minuteOf(1))],
    claimDelete: [(store) => store.claimDelete(pooled, ['running', 'stopped'], job, { wanted: 'gone' })],
  },
};

const ofHost = (call: (store: HostDevices) => unknown) => bounded(ON_HOST, OF_HOST, call);

export const hostDeviceQueries: StoreUnderTest<HostDevices> = {
  name: 'devices of a host',
  ...collection,
  open: (database) => new DeviceStore(database).ofHost('host_1'),
  calls: {
    takeAll: [bounded(OWN_START, OF_HOST, (store) => store.takeAll(2, minuteOf(1)))],
    moveAll: [
      (store) => store.moveAll({ epoch: 1, lostAt: minuteOf(1) }, { hostId: 'host_2', epoch: 1, driver: 'simulated' }),
    ],
    findAtWork: [(store) => store.findAtWork()],
    find: [(store) => store.find(), (store) => store.find(['running']), (store) => store.find(['stopped', 'running'])],
    count: [(store) => store.count()],
    countByState: [(store) => store.countByState(new AbortController().signal)],
    findMetered: [ofHost((store) => store.findMetered()), ofHost((store) => store.findMetered(minuteOf(150)))],
    findIdleStopped: [ofHost((store) => store.findIdleStopped())],
    findMonthly: [(store) => store.findMonthly()],
    findUnfiled: [ofHost((store) => store.findUnfiled())],
    forgetGone: [ofHost((store) => store.forgetGone())],
  },
};
