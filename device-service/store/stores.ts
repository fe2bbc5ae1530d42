import type { Db } from 'mongodb';
import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import { migrate, type Migration } from '../../kit/migrations.js';
import type { SecretBox } from '../../kit/secret-box.js';
import { AccountStore } from './accounts.js';
import { adoptOlderDevices } from './adopt-older-devices.js';
import { DeviceStore } from './devices.js';
import { GroupStore } from './groups.js';
import { HostStore } from './hosts.js';
import { IdempotencyStore } from './idempotency.js';
import { JobStore } from './jobs.js';
import { KeyStore } from './keys.js';
import { LedgerStore } from './ledger.js';
import { renameDeviceEvents } from './rename-device-events.js';
import { ReservationStore } from './reservations.js';
import { ScheduleStore } from './schedules.js';
import { SessionStore } from './sessions.js';
import { ShareStore } from './shares.js';
import { SnapshotStore } from './snapshots.js';
import { TimelineStore } from './timeline.js';
import { TopupStore } from './topups.js';
import { UsageDayStore } from './usage-days.js';

export interface Stores {
  accounts: AccountStore;
  devices: DeviceStore;
  groups: GroupStore;
  hosts: HostStore;
  jobs: JobStore;
  keys: KeyStore;
  entries: LedgerStore;
  requests: IdempotencyStore;
  reservations: ReservationStore;
  schedules: ScheduleStore;
  sessions: SessionStore;
  shares: ShareStore;
  snapshots: SnapshotStore;
  timeline: TimelineStore;
  topups: TopupStore;
  usageDays: UsageDayStore;
}

/** Every collection of the service, brought to today's shape. Throws one line when the database is a newer version's. */
export async function openStores(
  database: Db,
  { box, clock, log }: { box?: SecretBox | undefined; clock: Clock; log: Log },
): Promise<Stores> {
  const stores = {
    accounts: new AccountStore(database),
    devices: new DeviceStore(database),
    groups: new GroupStore(database),
    hosts: new HostStore(database),
    jobs: new JobStore(database),
    keys: new KeyStore(database, box),
    entries: new LedgerStore(database),
    requests: new IdempotencyStore(database),
    reservations: new ReservationStore(database),
    schedules: new ScheduleStore(database),
    sessions: new SessionStore(database),
    shares: new ShareStore(database),
    snapshots: new SnapshotStore(database),
    timeline: new TimelineStore(database),
    topups: new TopupStore(database),
    usageDays: new UsageDayStore(database),
  };
  await migrate({ database, service: 'device-service', migrations: migrationsOf(stores), clock, log });
  await stores.keys.seal();
  return stores;
}

/** In their order, for good; see kit/migrations.ts. */
function migrationsOf(stores: Stores): Migration[] {
  const { accounts, devices, jobs, keys, entries, requests, reservations, sessions, topups } = stores;
  const indexed = [accounts, devices, jobs, keys, entries, requests, reservations, sessions, topups];
  return [
    { name: 'devices say what is wanted', run: adoptOlderDevices },
    {
      name: 'indexes',
      run: async () => {
        await Promise.all(indexed.map((store) => store.createIndexes()));
      },
    },
    {
      name: 'groups and schedules',
      run: async () => {
        await Promise.all([stores.groups.createIndexes(), stores.schedules.createIndexes()]);
      },
    },
    {
      name: 'snapshots',
      // Of devices: which jobs begin from a snapshot.
      run: async () => {
        await Promise.all([stores.snapshots.createIndexes(), devices.createIndexes()]);
      },
    },
    // Of snapshots: those of an account.
    { name: 'quotas', run: () => stores.snapshots.createIndexes() },
    { name: 'sessions have an address', run: () => sessions.addAddresses() },
    // Of keys: the valid ones of an account. Of jobs: those that failed.
    {
      name: 'indexes of valid keys and failed jobs',
      run: async () => {
        await Promise.all([keys.createIndexes(), jobs.createIndexes()]);
      },
    },
    // Of groups: those of an account, and of a maker.
    { name: 'lists of groups', run: () => stores.groups.createIndexes() },
    {
      name: 'events of devices',
      run: async (database) => {
        await renameDeviceEvents(database);
        await devices.createIndexes();
      },
    },
    { name: 'timelines', run: () => stores.timeline.createIndexes() },
    { name: 'shares', run: () => stores.shares.createIndexes() },
  ];
}
