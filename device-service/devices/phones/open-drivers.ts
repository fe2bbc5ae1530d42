import { connect } from 'node:net';
import { join } from 'node:path';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Clock } from '../../../kit/async/clock.js';
import { FollowedFile } from '../../../kit/files/followed-file.js';
import { folderIdOf } from '../../../kit/files/host-id.js';
import type { Log } from '../../../kit/log/log.js';
import type { PhoneDriver } from '../../../phone/driver.js';
import { openAttachedDriver } from '../../../phone/attached/open.js';
import { openContainerDriver } from '../../../phone/container/open.js';
import { openEmulatorDriver } from '../../../phone/emulator/open.js';
import { openKubernetesDriver, type OpenKubernetesOptions } from '../../../phone/kubernetes/open.js';
import type { ImageBasedModel } from '../../../phone/image-based/model.js';
import { modelsParser } from '../../../phone/image-based/models-file.js';
import { openSimulatedDriver } from '../../../simulated-phone/open-driver.js';
import { requireOneAddress } from './one-address.js';

export const DRIVER_KINDS = ['simulated', 'attached', 'container', 'emulator', 'kubernetes'] as const;
export type DriverKind = (typeof DRIVER_KINDS)[number];

/** Kinds whose phones listen at PHONE_HOST; phones of other kinds have addresses of their own. */
const LISTEN_HERE: ReadonlySet<DriverKind> = new Set(['simulated', 'attached', 'emulator']);

export interface DriverConfig {
  /** Kinds of phones that this host has. */
  kinds: readonly DriverKind[];
  /** The address at which phones listen, and other services reach them: PHONE_HOST. */
  address: string;
  /** The operator's list of attached phones; required where these are among the kinds. */
  phonesFile: string | undefined;
  /** The operator's models of image-based phones; required where such phones are among the kinds. */
  modelsFile: string | undefined;
  /** How many image-based phones boot at the same time. */
  bootsAtOnce: number;
  /** Settings for phones in containers. */
  container: {
    /** The engine's Unix socket. */
    socketPath: string;
    /** The addresses for the phones' networks, as CIDR. */
    pool: string;
  };
  /** ANDROID_HOME; required where phones in the emulator are among the kinds. */
  androidHome: string | undefined;
  /** Settings for phones in pods. */
  kubernetes: Pick<OpenKubernetesOptions, 'access' | 'gateImage' | 'storageClass'>;
  /** The environment for processes that a driver starts. */
  environment: Readonly<Record<string, string | undefined>>;
}

export interface OpenDriversOptions {
  config: DriverConfig;
  dataDirectory: string;
  /** Whether phones go on running when the driver closes, as for a device service that is restarted alone. */
  phonesOutliveDriver: boolean;
  clock: Clock;
  log: Log;
}

/** Opens the drivers of the kinds of phones that this host has. If one cannot be opened, the others are closed again. */
export async function openDrivers(options: OpenDriversOptions): Promise<PhoneDriver[]> {
  const { kinds, address } = options.config;
  if (kinds.some((kind) => LISTEN_HERE.has(kind))) await requireOneAddress(address);
  const boots = pLimit(options.config.bootsAtOnce);
  const open: Record<DriverKind, () => Promise<PhoneDriver>> = {
    simulated: () => openSimulated(options),
    attached: () => openAttached(options),
    container: () => openContainers(options, boots),
    emulator: () => openEmulators(options, boots),
    kubernetes: () => openKubernetes(options, boots),
  };
  const results = await Promise.allSettled(kinds.map((kind) => open[kind]()));
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

async function openContainers(
  { config, dataDirectory, clock, log }: OpenDriversOptions,
  boots: LimitFunction,
): Promise<PhoneDriver> {
  const models = followModels(config, { clock, log });
  try {
    return await openContainerDriver({
      ...config.container,
      ...{ models, boots, clock, log },
      owner: folderIdOf(dataDirectory),
      directory: join(dataDirectory, 'container'),
      connectSocket: (host, port) => connect({ host, port }),
    });
  } catch (error) {
    models.close();
    throw error;
  }
}

async function openEmulators(
  { config, dataDirectory, clock, log }: OpenDriversOptions,
  boots: LimitFunction,
): Promise<PhoneDriver> {
  const { androidHome, environment, address: phoneHost } = config;
  if (androidHome === undefined) throw new Error('ANDROID_HOME is missing');
  const models = followModels(config, { clock, log });
  try {
    return await openEmulatorDriver({
      ...{ androidHome, environment, phoneHost, models, boots, clock, log },
      directory: join(dataDirectory, 'emulator'),
      connectSocket: (host, port) => connect({ host, port }),
    });
  } catch (error) {
    models.close();
    throw error;
  }
}

async function openKubernetes(
  { config, dataDirectory, clock, log }: OpenDriversOptions,
  boots: LimitFunction,
): Promise<PhoneDriver> {
  const models = followModels(config, { clock, log });
  try {
    return await openKubernetesDriver({
      ...config.kubernetes,
      ...{ models, boots, clock, log },
      owner: folderIdOf(dataDirectory),
      directory: join(dataDirectory, 'kubernetes'),
      connectSocket: (host, port) => connect({ host, port }),
    });
  } catch (error) {
    models.close();
    throw error;
  }
}

function followModels(
  { modelsFile: path }: DriverConfig,
  { clock, log }: Pick<OpenDriversOptions, 'clock' | 'log'>,
): FollowedFile<readonly ImageBasedModel[]> {
  if (path === undefined) throw new Error('MODELS_FILE is missing');
  // A change needs no notice: the drivers read the present models whenever they need them.
  const onChange = (): void => undefined;
  return new FollowedFile<readonly ImageBasedModel[]>({
    setting: 'MODELS_FILE',
    path,
    parse: modelsParser(),
    onChange,
    clock,
    log,
  });
}
