import { randomBytes } from 'node:crypto';
import type { PhoneDriver } from '../driver.js';
import { MadeDriver, type MadeDriverOptions } from '../made/driver.js';
import type { KubernetesModel } from '../made/made-model.js';
import { Cluster, type ClusterAccess } from './cluster.js';
import { KubernetesEngine } from './engine.js';
import { Volumes } from './volumes.js';

export interface OpenKubernetesOptions extends Omit<MadeDriverOptions, 'engine' | 'storage'> {
  access: ClusterAccess;
  /** Differs between services in one namespace. */
  owner: string;
  /** Image of this service, with `nft`: for the containers beside Android, and for copies. */
  gateImage: string;
  storageClass: string | undefined;
}

/** Opens the driver for phones in pods of a cluster, and adopts those that run. Throws where the cluster cannot be reached. */
export async function openKubernetesDriver(options: OpenKubernetesOptions): Promise<PhoneDriver> {
  const { access, models, clock, log } = options;
  const cluster = await Cluster.connect({ ...access, clock, log });
  const ofPods = (): KubernetesModel[] => models.value.filter((model) => model.driver === 'kubernetes');
  const room = (): Promise<{ freeMemoryMb: number; freeDiskMb: number }> => engine.room(ofPods());
  const storage = new Volumes({ ...options, cluster, room });
  const prepareData = storage.prepare.bind(storage);
  const engine = new KubernetesEngine({ ...options, cluster, prepareData, randomBytes });
  const driver = new MadeDriver({ ...options, engine, storage });
  try {
    await driver.open();
    return driver;
  } catch (error) {
    await driver.close();
    throw error;
  }
}
