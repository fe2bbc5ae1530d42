import { join } from 'node:path';
import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import type { PhoneDriver } from '../../phone/driver.js';
import { openSimulatedDriver } from '../../phone/simulated/open-driver.js';

export interface DriverConfig {
  kind: 'simulated';
  /** The environment for processes that the driver starts. */
  environment: Readonly<Record<string, string | undefined>>;
}

export interface OpenDriverOptions {
  config: DriverConfig;
  dataDirectory: string;
  /** Whether phones go on running when the driver closes: so for a device service that is restarted alone. */
  phonesOutliveDriver: boolean;
  clock: Clock;
  log: Log;
}

/** The kind of phones that this host has, ready to use. */
export async function openDriver({ config, dataDirectory, ...options }: OpenDriverOptions): Promise<PhoneDriver> {
  const directory = join(dataDirectory, 'simulator');
  return openSimulatedDriver({ ...options, directory, environment: config.environment });
}
