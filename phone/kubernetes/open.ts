import { randomBytes } from 'node:crypto';
import type { PhoneDriver } from '../driver.js';
import { ImageBasedDriver, type ImageBasedDriverOptions } from '../image-based/driver.js';
import type { KubernetesModel } from '../image-based/model.js';
import { Cluster, type ClusterAccess } from './cluster.js';
import { KubernetesEngine } from './engine.js';
import { Volumes } from './volumes.js';

export interface OpenKubernetesOptions extends Omit<ImageBasedDriverOptions, 'engine' | 'storage'> {
  access: ClusterAccess;
  /** The id of this service's data folder. Services that share a namespace have different ids. */
  owner: string;
  /** An image of this service that contains `nft`. The containers beside Android use it, and the jobs that copy volumes. */
  gateImage: string;
  storageClass: string | undefined;
}

/** Opens the driver for phones in pods of a cluster. It adopts the phones that run as soon as the cluster can be reached. */
export async function openKubernetesDriver(options: OpenKubernetesOptions): Promise<PhoneDriver> {
  const { access, models, clock, log } = options;
  const cluster = await Cluster.connect({ ...access, clock, log });
  const ofPods = (): KubernetesModel[] => models.value.filter((model) => model.driver === 'kubernetes');
  const room = (): Promise<{ freeMemoryMb: number; freeDiskMb: number }> => engine.room(ofPods());
  const storage = new Volumes({ ...options, cluster, room, randomBytes });
  const prepareData = storage.prepare.bind(storage);
  const engine = new KubernetesEngine({ ...options, cluster, prepareData, randomBytes });
  const driver = new ImageBasedDriver({ ...options, engine, storage });
  try {
    await driver.open();
    return driver;
  } catch (error) {
    await driver.close();
    throw error;
  }
}
