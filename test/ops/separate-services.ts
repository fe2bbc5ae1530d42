import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedMongo } from '../../embedded-mongo/embedded-mongo.js';
import { silentLog } from '../../kit/log.js';
import { freePort } from '../../testing/free-port.js';
import { ServiceProcess } from './service-process.js';

/** The six services, each a process, on a database that a test can take away. */
export interface SeparateServices {
  device: ServiceProcess;
  webhook: ServiceProcess;
  screen: ServiceProcess;
  relay: ServiceProcess;
  gateway: ServiceProcess;
  status: ServiceProcess;
  all: ServiceProcess[];
  /** Where the device service serves rpcs. */
  deviceUrl: string;
  /** The REST API, without /v1. */
  edgeUrl: string;
  stopDatabase(): Promise<void>;
  /** The same database again, at the same place. */
  startDatabase(): Promise<void>;
  close(): Promise<void>;
}

/** Starts them, and waits until all are ready. */
export async function startSeparateServices(own: Record<string, string>): Promise<SeparateServices> {
  const directory = mkdtempSync(join(tmpdir(), 'cloudphone-ops-'));
  const startDatabase = () => startEmbeddedMongo({ directory: join(directory, 'database'), log: silentLog });
  let database = await startDatabase();
  const [device, webhook, screen, relay] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const relayPort = await freePort();
  const deviceUrl = `http://127.0.0.1:${device}`;
  const environment = {
    MONGODB_URL: database.url,
    DEVICE_SERVICE_URL: deviceUrl,
    WEBHOOK_SERVICE_URL: `http://127.0.0.1:${webhook}`,
    SCREEN_SERVICE_URL: `http://127.0.0.1:${screen}`,
    RELAY_SERVICE_URL: `http://127.0.0.1:${relay}`,
    ALLOW_PRIVATE_TARGETS: 'on',
    SIMULATED_BOOT_MS: '50',
    SIMULATED_GRACE_MS: '1000',
    ...own,
  };
  const start = (name: ServiceProcess['name'], more: Record<string, string>): ServiceProcess =>
    new ServiceProcess(name, { ...environment, ...more });
  const services = {
    device: start('device-service', { DEVICE_GRPC_PORT: String(device), DATA_DIR: join(directory, 'data') }),
    webhook: start('webhook-service', { WEBHOOK_GRPC_PORT: String(webhook) }),
    screen: start('screen-service', { SCREEN_GRPC_PORT: String(screen) }),
    relay: start('relay-service', { RELAY_GRPC_PORT: String(relay), RELAY_PORTS: `${relayPort}-${relayPort}` }),
    gateway: start('gateway', { PORT: '0' }),
    // It looks where nothing is: its requests would be counted with those of tests.
    status: start('status-service', {
      STATUS_PORT: '0',
      STATUS_API_URL: 'http://127.0.0.1:1',
      RELAY_SERVICE_URL: 'http://127.0.0.1:1',
      SCREEN_SERVICE_URL: 'http://127.0.0.1:1',
      DATA_DIR: join(directory, 'status'),
    }),
  };
  const all = Object.values(services);
  const close = async (): Promise<void> => {
    await Promise.all(all.map((service) => service.stop()));
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    for (const service of all) await service.readyWhen(200);
    const edgeUrl = `http://127.0.0.1:${await services.gateway.port()}`;
    return {
      ...services,
      all,
      deviceUrl,
      edgeUrl,
      stopDatabase: () => database.close(),
      startDatabase: async () => {
        database = await startDatabase();
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
