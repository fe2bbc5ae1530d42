import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { openDiskLimits } from '../disk-limits/open-disk-limits.js';
import { ImageBasedDriver, type ImageBasedDriverOptions } from '../image-based/driver.js';
import type { PhoneDriver } from '../driver.js';
import { ContainerEngine } from './engine.js';

export interface OpenContainersOptions extends Omit<ImageBasedDriverOptions, 'engine' | 'limits'> {
  /** The engine's Unix socket. */
  socketPath: string;
  /** Addresses for the networks of phones, as CIDR. */
  pool: string;
  /** Differs between services that use one engine. */
  owner: string;
}

/** Opens the driver for phones in containers. As soon as the engine can be reached, the driver takes over the phones that run. */
export async function openContainerDriver(options: OpenContainersOptions): Promise<PhoneDriver> {
  const { socketPath, pool, owner, directory, clock, log } = options;
  if (process.getuid?.() !== 0) {
    throw new Error(
      'PHONE_DRIVER=container needs the device service to run as root: the files of its phones belong to the users of Android',
    );
  }
  // dockerode is large, with gRPC and SSH of its own. It is loaded only where phones are in containers.
  const { default: Docker } = await import('dockerode');
  const docker = new Docker({ socketPath });
  const engine = new ContainerEngine({ docker, socketPath, owner, pool, interfaces: networkInterfaces, clock, log });
  const limits = await openDiskLimits({ phones: join(directory, 'phones'), log });
  const driver = new ImageBasedDriver({ ...options, engine, limits });
  await driver.open();
  return driver;
}
