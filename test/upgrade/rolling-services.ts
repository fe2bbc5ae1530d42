import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startEmbeddedMongo } from '../../embedded-mongo/embedded-mongo.js';
import { silentLog } from '../../kit/log/log.js';
import { freePort } from '../../testing/free-port.js';
import type { Release } from '../../testing/release-before.js';
import { WITHOUT_RATE_LIMITS } from '../installation.js';
import { type ServiceName, ServiceProcess } from '../ops/service-process.js';

/** Every process of an installation with two gateways. */
export const PARTS = ['device', 'webhook', 'screen', 'relay', 'gateway-1', 'gateway-2'] as const;
export type Part = (typeof PARTS)[number];

const PROGRAMS: Record<Part, ServiceName> = {
  device: 'device-service',
  webhook: 'webhook-service',
  screen: 'screen-service',
  relay: 'relay-service',
  'gateway-1': 'gateway',
  'gateway-2': 'gateway',
};

/** Services apart on one database, each of which may be of another release than its neighbours. */
export interface RollingServices {
  /** The release of each part. */
  releases: ReadonlyMap<Part, Release>;
  urlOf(part: Part): string;
  /** Stops a part as an operator does, starts that of the release at the same address, and waits until it is ready. */
  replace(part: Part, release: Release): Promise<void>;
  close(): Promise<void>;
}

/** Starts all parts of a release. */
export async function startRollingServices(release: Release): Promise<RollingServices> {
  const directory = mkdtempSync(join(tmpdir(), 'cloudphone-rolling-'));
  const database = await startEmbeddedMongo({ directory: join(directory, 'database'), log: silentLog });
  const ports = new Map<Part, number>();
  for (const part of PARTS) ports.set(part, await freePort());
  const relayPort = await freePort();
  const urlOf = (part: Part): string => `http://127.0.0.1:${ports.get(part)}`;
  const environment = {
    ...{ MONGODB_URL: database.url, ALLOW_PRIVATE_TARGETS: 'on', SIMULATED_BOOT_MS: '50', SIMULATED_GRACE_MS: '30000' },
    ...{ DEVICE_SERVICE_URL: urlOf('device'), WEBHOOK_SERVICE_URL: urlOf('webhook') },
    ...{ SCREEN_SERVICE_URL: urlOf('screen'), RELAY_SERVICE_URL: urlOf('relay') },
    ...{ RELAY_PORTS: `${relayPort}-${relayPort + 3}`, DATA_DIR: join(directory, 'data') },
    ...WITHOUT_RATE_LIMITS,
  };
  const processes = new Map<Part, ServiceProcess>();
  const releases = new Map<Part, Release>();
  const begin = async (part: Part, of: Release): Promise<void> => {
    const name = part.startsWith('gateway') ? 'PORT' : `${part.toUpperCase()}_GRPC_PORT`;
    const from = pathToFileURL(join(of.root, 'dist/'));
    const started = new ServiceProcess(PROGRAMS[part], { ...environment, [name]: String(ports.get(part)) }, from);
    processes.set(part, started);
    releases.set(part, of);
    await started.port();
  };
  const close = async (): Promise<void> => {
    await Promise.all([...processes.values()].map((one) => one.stop()));
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    for (const part of PARTS) await begin(part, release);
    for (const one of processes.values()) await one.readyWhen(200);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...{ releases, urlOf, close },
    replace: async (part, of) => {
      const status = await processes.get(part)!.stop();
      if (status !== 0) throw new Error(`${part} ended with status ${String(status)}`);
      await begin(part, of);
      for (const one of processes.values()) await one.readyWhen(200);
    },
  };
}
