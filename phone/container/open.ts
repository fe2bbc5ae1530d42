import { networkInterfaces } from 'node:os';
import { MadeDriver, type MadeDriverOptions } from '../made/driver.js';
import type { PhoneDriver } from '../driver.js';
import { ContainerEngine } from './engine.js';

export interface OpenContainersOptions extends Omit<MadeDriverOptions, 'engine'> {
  /** The engine's Unix socket. */
  socketPath: string;
  /** Addresses for the networks of phones, as CIDR. */
  pool: string;
  /** Differs between services that use one engine. */
  owner: string;
}

/** Opens the driver for phones in containers, and adopts those that run. Throws where the engine cannot be reached. */
export async function openContainerDriver(options: OpenContainersOptions): Promise<PhoneDriver> {
  const { socketPath, pool, owner, clock, log } = options;
  if (process.getuid?.() !== 0) {
    throw new Error(
      'PHONE_DRIVER=container needs the device service to run as root: the files of its phones belong to the users of Android',
    );
  }
  // A large library, with gRPC and SSH of its own: loaded only where phones are in containers.
  const { default: Docker } = await import('dockerode');
  const docker = new Docker({ socketPath });
  const engine = new ContainerEngine({ docker, owner, pool, interfaces: networkInterfaces, clock, log });
  const driver = new MadeDriver({ ...options, engine });
  await driver.open();
  return driver;
}
