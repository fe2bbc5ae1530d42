import { PeriodicTasks } from '../kit/ops/periodic-tasks.js';
import { callChecks } from '../kit/rpc/interceptors.js';
import { implementing } from '../kit/rpc/rpc-service.js';
import type { Service } from '../kit/service/service.js';
import { openAccounts } from './accounts/open-accounts.js';
import { createFirstAccount, type FirstAccount, type KeptSecrets, stillGood } from './accounts/people/first-start.js';
import { MissedPhones } from './devices/converge/missed-phones.js';
import { Outages } from './devices/metering/outages.js';
import { openDevices } from './devices/open-devices.js';
import { openFleet } from './fleet/open-fleet.js';
import { openHistory } from './history/open-history.js';
import { openOperator } from './operator/open-operator.js';
import type { DeviceServiceOptions } from './options.js';
import { openRecordings } from './recordings/open-recordings.js';
import type { DeviceDocument } from './store/devices.js';
import { openStores } from './store/stores.js';

export interface DeviceServiceInstance extends Service {
  /** Publishes the URL of this instance, so that other hosts wake it for jobs. Until then it only reads the database regularly. */
  announce(url: string): Promise<void>;
  /** Ends all waits for jobs and devices: a caller gets the job as it is now, or an error. Call it before the ports drain. */
  endWaits(): void;
  /** Makes the first account and its key on an empty database. `keep` is called with both before they are stored. */
  createFirstAccount(email: string, keep?: (first: FirstAccount) => void): Promise<FirstAccount | undefined>;
  /** Returns the secrets of an account that are still good; undefined when the account does not exist. */
  stillGood(kept: KeptSecrets): Promise<KeptSecrets | undefined>;
  /** Charges all minutes that are due now. The service also does so every few seconds. */
  meter(): Promise<void>;
  /** Stops devices that were not used for their idle time. The service also does so every few seconds. */
  stopIdle(): Promise<void>;
  /** Runs a periodic task of the devices of this host now, by its name. The service also does so by itself. */
  runTask(name: string): Promise<void>;
  /** Lets running jobs end for a bounded time, and leaves the others to the next start. */
  close(): Promise<void>;
}

/**
 * Opens the modules of the service in order, makes database and phones agree, and begins to work. A module may use those opened before it.
 * They close in reverse order.
 */
export async function createDeviceService(options: DeviceServiceOptions): Promise<DeviceServiceInstance> {
  const { database, secretBox: box, clock, log, metrics } = options;
  const stores = await openStores(database, { box, clock, log });
  const missed = new MissedPhones({ devices: stores.devices, clock });
  const outages = new Outages(clock);
  const isDoubtful = (device: DeviceDocument): boolean => missed.isDoubtful(device);
  const accounts = openAccounts({ ...options, stores, isDoubtful, outages: () => outages.all });
  const history = openHistory({ ...options, accounts });
  const devices = await openDevices({ ...options, accounts, history, missed, outages });
  const recordings = openRecordings({ ...options, devices });
  const fleet = await openFleet({ ...options, devices, recordingCalls: recordings.calls });
  const operator = openOperator({ devices, fleet, hasSecretsKey: box !== undefined, trail: accounts.trail });

  await history.start();
  await devices.start();
  recordings.start();
  const tasks = new PeriodicTasks({ clock, log, metrics });
  const ofAccounts = tasks.start(accounts.maintenance);
  const ofHistory = tasks.start(history.maintenance);
  const ofDevices = tasks.start(devices.maintenance);
  const ofRecordings = tasks.start(recordings.maintenance);
  const ofFleet = tasks.start(fleet.maintenance);
  return {
    rpc: {
      name: 'the device service',
      ...callChecks({ ...options, authenticate: accounts.authenticate, auditor: accounts.auditor }),
      ...implementing(
        ...devices.rpc,
        ...recordings.rpc,
        ...fleet.rpc,
        ...history.rpc,
        ...accounts.rpc,
        ...operator.rpc,
      ),
    },
    announce: (url) => devices.announce(url),
    endWaits: () => {
      history.context.jobWaits.close();
      fleet.context.deviceNews.close();
    },
    createFirstAccount: (email, keep) => createFirstAccount(accounts.context, email, keep),
    stillGood: (kept) => stillGood(accounts.context, kept),
    meter: () => devices.meter(),
    stopIdle: () => devices.stopIdle(),
    runTask: async (name) => {
      const task = devices.maintenance.find((one) => one.name === name);
      if (task === undefined) throw new Error(`there is no task "${name}"`);
      await task.run(new AbortController().signal);
    },
    close: async () => {
      await ofFleet.close();
      await fleet.close();
      // Recordings end before the phones, so that their files have the last picture.
      await recordings.close();
      await ofRecordings.close();
      await ofDevices.close();
      await devices.close();
      // The periodic work of history ends last, as it publishes the events of the jobs that have just ended.
      await history.close();
      await ofHistory.close();
      await ofAccounts.close();
      await accounts.close();
      await devices.endLease();
    },
  };
}
