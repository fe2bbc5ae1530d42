import type { Db } from 'mongodb';
import type { Clock } from '../kit/async/clock.js';
import type { Log } from '../kit/log/log.js';
import type { AccountsOptions } from './accounts/open-accounts.js';
import type { DevicesOptions } from './devices/open-devices.js';
import type { FleetOptions } from './fleet/open-fleet.js';
import type { RecordingsOptions } from './recordings/open-recordings.js';
import type { HistoryOptions } from './history/open-history.js';

/** The options of the service: all that its modules take from outside. */
export interface DeviceServiceOptions
  extends
    Omit<AccountsOptions, 'stores' | 'isDoubtful' | 'outages'>,
    Omit<HistoryOptions, 'accounts'>,
    Omit<DevicesOptions, 'accounts' | 'history' | 'missed' | 'outages'>,
    Omit<RecordingsOptions, 'devices'>,
    Omit<FleetOptions, 'devices' | 'recordingCalls'> {
  database: Db;
  clock: Clock;
  log: Log;
}
