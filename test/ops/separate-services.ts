import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedMongo } from '../../embedded-mongo/embedded-mongo.js';
import { silentLog } from '../../kit/log/log.js';
import { freePort } from '../../testing/free-port.js';
import { WITHOUT_RATE_LIMITS } from '../installation.js';
import { ServiceProcess } from './service-process.js';

export type SeparateName = 'device' | 'webhook' | 'screen' | 'relay' | 'gateway' | 'status';

/** The six services, each a process, and the present one after a start anew, on a database that a test can take away. */
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
  databaseUrl: string;
  /** DATA_DIR of all services but the status service. */
  dataDirectory: string;
  /** Sends SIGKILL to a service. Resolves when its process is gone. */
  kill(name: SeparateName): Promise<void>;
  /** Starts a service that has ended, at the same place, and waits until it is ready. */
  start(name: SeparateName): Promise<void>;
  /** Ends a service, starts it again with these settings more, and waits until it is ready. */
  restart(name: SeparateName, more: Record<string, string>): Promise<void>;
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
    // For all, as they find the token there by which they know each other.
    DATA_DIR: join(directory, 'data'),
    DEVICE_SERVICE_URL: deviceUrl,
    WEBHOOK_SERVICE_URL: `http://127.0.0.1:${webhook}`,
    SCREEN_SERVICE_URL: `http://127.0.0.1:${screen}`,
    RELAY_SERVICE_URL: `http://127.0.0.1:${relay}`,
    ALLOW_PRIVATE_TARGETS: 'on',
    SIMULATED_BOOT_MS: '50',
    SIMULATED_GRACE_MS: '1000',
    ...WITHOUT_RATE_LIMITS,
    ...own,
  };
  const edge = await freePort();
  const settings: Record<SeparateName, [ServiceProcess['name'], Record<string, string>]> = {
    device: ['device-service', { DEVICE_GRPC_PORT: String(device) }],
    webhook: ['webhook-service', { WEBHOOK_GRPC_PORT: String(webhook) }],
    screen: ['screen-service', { SCREEN_GRPC_PORT: String(screen) }],
    relay: ['relay-service', { RELAY_GRPC_PORT: String(relay), RELAY_PORTS: `${relayPort}-${relayPort}` }],
    gateway: ['gateway', { PORT: String(edge) }],
    // It looks where nothing is: its requests would be counted with those of tests.
    status: [
      'status-service',
      {
        STATUS_PORT: '0',
        STATUS_API_URL: 'http://127.0.0.1:1',
        RELAY_SERVICE_URL: 'http://127.0.0.1:1',
        SCREEN_SERVICE_URL: 'http://127.0.0.1:1',
        DATA_DIR: join(directory, 'status'),
      },
    ],
  };
  const start = (name: SeparateName, more: Record<string, string> = {}): ServiceProcess => {
    const [service, its] = settings[name];
    return new ServiceProcess(service, { ...environment, ...its, ...more });
  };
  const services = {
    device: start('device'),
    webhook: start('webhook'),
    screen: start('screen'),
    relay: start('relay'),
    gateway: start('gateway'),
    status: start('status'),
  };
  const restart = async (name: SeparateName, more: Record<string, string>): Promise<void> => {
    await services[name].stop();
    services[name] = start(name, more);
    await services[name].readyWhen(200);
  };
  const kill = async (name: SeparateName): Promise<void> => {
    services[name].signal('SIGKILL');
    await services[name].exited();
  };
  const startAgain = async (name: SeparateName): Promise<void> => {
    services[name] = start(name);
    await services[name].readyWhen(200);
  };
  const close = async (): Promise<void> => {
    await Promise.all(Object.values(services).map((service) => service.stop()));
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    for (const service of Object.values(services)) await service.readyWhen(200);
    return {
      get device() {
        return services.device;
      },
      get webhook() {
        return services.webhook;
      },
      get screen() {
        return services.screen;
      },
      get relay() {
        return services.relay;
      },
      get gateway() {
        return services.gateway;
      },
      get status() {
        return services.status;
      },
      get all() {
        return Object.values(services);
      },
      deviceUrl,
      edgeUrl: `http://127.0.0.1:${edge}`,
      databaseUrl: database.url,
      dataDirectory: environment.DATA_DIR,
      kill,
      start: startAgain,
      restart,
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
