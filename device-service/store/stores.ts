import type { Db } from 'mongodb';
import { AccountStore } from './accounts.js';
import { DeviceStore } from './devices.js';
import { HostStore } from './hosts.js';
import { JobStore } from './jobs.js';
import { KeyStore } from './keys.js';

export interface Stores {
  accounts: AccountStore;
  devices: DeviceStore;
  hosts: HostStore;
  jobs: JobStore;
  keys: KeyStore;
}

/** Every collection of the service, with its indexes made. */
export async function openStores(database: Db): Promise<Stores> {
  const stores = {
    accounts: new AccountStore(database),
    devices: new DeviceStore(database),
    hosts: new HostStore(database),
    jobs: new JobStore(database),
    keys: new KeyStore(database),
  };
  await Promise.all([
    stores.accounts.createIndexes(),
    stores.devices.createIndexes(),
    stores.jobs.createIndexes(),
    stores.keys.createIndexes(),
  ]);
  return stores;
}
