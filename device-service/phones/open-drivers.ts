import { connect } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import type { PhoneDriver } from '../../phone/driver.js';
import { openAttachedDriver } from '../../phone/attached/open.js';
import { openSimulatedDriver } from '../../simulated-phone/open-driver.js';

export const DRIVER_KINDS = ['simulated', 'attached'] as const;
export type DriverKind = (typeof DRIVER_KINDS)[number];

export interface DriverConfig {
  /** Kinds of phones of this host. */
  kinds: readonly DriverKind[];
  /** Where phones listen, and under which address other services reach them: PHONE_HOST. */
  address: string;
  /** The operator's list of attached phones; set where these are among the kinds. */
  phonesFile: string | undefined;
  /** The environment for processes that a driver starts. */
  environment: Readonly<Record<string, string | undefined>>;
}

export interface OpenDriversOptions {
  config: DriverConfig;
  dataDirectory: string;
  /** Whether phones go on running when the driver closes: so for a device service that is restarted alone. */
  phonesOutliveDriver: boolean;
  clock: Clock;
  log: Log;
}

/** Opens the drivers of the kinds of phones that this host has. Where one cannot be opened, the others are closed again. */
export async function openDrivers(options: OpenDriversOptions): Promise<PhoneDriver[]> {
  const open: Record<DriverKind, () => Promise<PhoneDriver>> = {
    simulated: () => openSimulated(options),
    attached: () => openAttached(options),
  };
  const results = await Promise.allSettled(options.config.kinds.map((kind) => open[kind]()));
  const drivers = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed === undefined) return drivers;
  await Promise.all(drivers.map((driver) => driver.close()));
  throw failed.reason;
}

async function openSimulated({ config, dataDirectory, ...options }: OpenDriversOptions): Promise<PhoneDriver> {
  const directory = join(dataDirectory, 'simulator');
  return openSimulatedDriver({ ...options, directory, environment: config.environment });
}

async function openAttached({ config, dataDirectory, clock, log }: OpenDriversOptions): Promise<PhoneDriver> {
  if (config.phonesFile === undefined) throw new Error('PHONES_FILE is missing');
  return openAttachedDriver({
    phonesFile: config.phonesFile,
    directory: join(dataDirectory, 'attached'),
    phoneHost: config.address,
    clock,
    log,
    connectSocket: (host, port) => connect({ host, port }),
  });
}
