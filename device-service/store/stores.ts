import type { Db } from 'mongodb';
import type { SecretBox } from '../../kit/secret-box.js';
import { AccountStore } from './accounts.js';
import { adoptOlderDevices } from './adopt-older-devices.js';
import { DeviceStore } from './devices.js';
import { HostStore } from './hosts.js';
import { IdempotencyStore } from './idempotency.js';
import { JobStore } from './jobs.js';
import { KeyStore } from './keys.js';
import { LedgerStore } from './ledger.js';
import { ReservationStore } from './reservations.js';
import { SessionStore } from './sessions.js';
import { TopupStore } from './topups.js';

export interface Stores {
  accounts: AccountStore;
  devices: DeviceStore;
  hosts: HostStore;
  jobs: JobStore;
  keys: KeyStore;
  entries: LedgerStore;
  requests: IdempotencyStore;
  reservations: ReservationStore;
  sessions: SessionStore;
  topups: TopupStore;
}

/** Every collection of the service, with its indexes made. `box`: seals what is secret. */
export async function openStores(database: Db, box?: SecretBox): Promise<Stores> {
  const stores = {
    accounts: new AccountStore(database),
    devices: new DeviceStore(database),
    hosts: new HostStore(database),
    jobs: new JobStore(database),
    keys: new KeyStore(database, box),
    entries: new LedgerStore(database),
    requests: new IdempotencyStore(database),
    reservations: new ReservationStore(database),
    sessions: new SessionStore(database),
    topups: new TopupStore(database),
  };
  await adoptOlderDevices(database);
  await Promise.all([
    stores.accounts.createIndexes(),
    stores.devices.createIndexes(),
    stores.jobs.createIndexes(),
    stores.keys.createIndexes(),
    stores.entries.createIndexes(),
    stores.requests.createIndexes(),
    stores.reservations.createIndexes(),
    stores.sessions.createIndexes(),
    stores.topups.createIndexes(),
  ]);
  await stores.keys.seal();
  return stores;
}
