import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRouterTransport } from '@connectrpc/connect';
import type { Db } from 'mongodb';
import type { OidcConfig } from '../device-service/accounts/oidc/oidc-config.js';
import type { FirstAccount } from '../device-service/accounts/people/first-start.js';
import type { NetworkConfig } from '../device-service/devices/network/network.js';
import type { AppDirectories } from '../device-service/devices/open-devices.js';
import type { QuotaSettings } from '../device-service/accounts/quotas/quotas.js';
import type { MailServer } from '../device-service/accounts/mail/mail-server.js';
import type { Payments } from '../device-service/accounts/topups/payments.js';
import { Registry } from 'prom-client';
import type { EdgeLimits } from '../gateway/limits.js';
import type { Log } from '../kit/log/log.js';
import { systemClock } from '../kit/async/clock.js';
import { Lifecycle } from '../kit/process/lifecycle.js';
import { createLog, silentLog } from '../kit/log/log.js';
import { SecretBox } from '../kit/text/secret-box.js';
import { receiveErrors, sendErrors } from '../kit/rpc/error-crossing.js';
import { ChangeFeed } from '../phone/change-feed.js';
import type { App } from '../simulated-phone/apps/app.js';
import { SimulatedDriver } from '../simulated-phone/driver.js';
import { FfmpegEncoders } from '../phone/video/ffmpeg-encoders.js';
import { phoneBuilder } from '../simulated-phone/host/build-phone.js';
import { DriverLease } from '../simulated-phone/host/driver-lease.js';
import { PhoneFolder } from '../simulated-phone/host/phone-folder.js';
import { PhoneHost } from '../simulated-phone/host/phone-host.js';
import { simulatorRpc } from '../simulated-phone/host/simulator-rpc.js';
import { EXTRA_APPS } from '../testing/phone/extra-apps.js';
import { measureCapacity } from '../phone/files/measure-capacity.js';
import { SimulatorProcesses } from '../simulated-phone/processes/simulator-processes.js';
import { SimulatorService } from '../proto/gen/cloudphone/simulator/v1/simulator_service_pb.js';
import { type Mesh, startMesh } from '../start/mesh.js';
import { openImageBasedPhones, TEST_PHONES } from './image-based-phones.js';
import { RestClient } from './rest-client.js';
import { openTemporaryDatabase, type TemporaryDatabase } from './temporary-database.js';

/** A whole service in this process, with simulated phones, on free ports of loopback. */
export interface World {
  /** The REST API with the first account's control key. */
  api: RestClient;
  key: string;
  /** Email of the owner of the first account. */
  email: string;
  password: string;
  mesh: Mesh;
  metrics: Registry;
  database: Db;
  /** The phones, to set faults. */
  phones: PhoneHost;
  close(): Promise<void>;
}

/** How long phones take to boot in tests, ms. */
const BOOT_MS = 20;

/** Far above the rate of any test, so that tests of other things never wait. Tests of the limits pass their own. */
const NO_RATE_LIMITS: Partial<EdgeLimits> = {
  maxKeyRequests: 1_000_000,
  maxDeviceRequests: 1_000_000,
  maxSessionRequests: 1_000_000,
  maxAccountRequests: 1_000_000,
  maxAnonymousRequests: 1_000_000,
};

export interface WorldOptions extends NetworkConfig {
  /** Whether helper programs may be on phones. Absent: no. */
  residentHelpers?: boolean;
  /** Absent: no rate limits that a test could meet. */
  limits?: Partial<EdgeLimits>;
  signUpOpen?: boolean;
  passwordSignIn?: boolean;
  oidc?: OidcConfig;
  /** Absent: no bound. */
  quotas?: QuotaSettings;
  allowPrivateTargets?: boolean;
  payments?: Payments;
  mailServer?: MailServer;
  publicUrl?: URL;
  /** Absent: no apps are offered; uploads are in the world's folder. */
  apps?: AppDirectories;
  /** Apps that the phones have beside their own. Absent: those for tests. */
  phoneApps?: readonly App[];
  log?: Log;
  /** Port of the edge. Absent: a free one. */
  port?: number;
  /** In place of scrcpy's server: simulated phones do not run it. Absent: there is no video. */
  scrcpyFile?: Uint8Array;
  /** Absent: a database that nobody else uses. */
  openDatabase?: () => Promise<TemporaryDatabase>;
  /** Looks on at the moment in which the first account is made. */
  atFirstAccount?: () => Promise<void>;
}

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  // A part that does not close is named in the output of the test.
  const lifecycle = new Lifecycle(createLog({ level: 'warn', pretty: false }));
  const directory = mkdtempSync(join(tmpdir(), 'cloudphone-world-'));
  lifecycle.onClose('folder', () => rmSync(directory, { recursive: true, force: true }));
  const { database } = lifecycle.add('database', await (options.openDatabase ?? openTemporaryDatabase)());

  const folder = new PhoneFolder(directory, join(directory, 'scratch'));
  await folder.clean();
  const build = phoneBuilder({
    clock: systemClock,
    log: silentLog,
    random: Math.random,
    extraApps: options.phoneApps ?? EXTRA_APPS,
    bootMs: BOOT_MS,
    storageBytes: 256 * 1024 * 1024,
    allowPrivateTargets: true,
    videoEncoders: new FfmpegEncoders('ffmpeg', systemClock),
  });
  const hosted = { folder, build, log: silentLog, process: 0, address: '127.0.0.1' };
  const phones = lifecycle.add('phones', new PhoneHost(hosted));
  const changes = new ChangeFeed();
  const processes = new SimulatorProcesses({
    count: 1,
    folder,
    linkTo: () => linkInMemory(phones),
    found: async () => [0],
    clock: systemClock,
    log: silentLog,
    onChange: (change) => changes.publish(change),
  });
  await processes.open();
  const capacity = (): ReturnType<typeof measureCapacity> => measureCapacity(directory);
  const driver = new SimulatedDriver({
    folder,
    processes,
    changes,
    measureCapacity: capacity,
    phonesOutliveDriver: true,
    clock: systemClock,
    log: silentLog,
  });
  lifecycle.add('driver', driver);
  const drivers = TEST_PHONES.driver === 'simulated' ? [driver] : [await openImageBasedPhones(lifecycle)];

  let first: FirstAccount | undefined;
  const metrics = new Registry();
  const mesh = await startMesh({
    host: '127.0.0.1',
    port: 0,
    grpcPorts: { device: 0, screen: 0, relay: 0, webhook: 0 },
    relay: { advertisedHost: '127.0.0.1', listenHost: '127.0.0.1', ports: undefined },
    database,
    drivers,
    recordings: { directory: join(directory, 'recordings') },
    // A folder of its own: each service removes uploads there that it does not know.
    apps: { catalogue: join(directory, 'catalogue'), folder: join(directory, 'apps') },
    hostId: 'world',
    hostPlace: { country: 'us', timezone: 'America/New_York' },
    meshToken: undefined,
    allowPrivateTargets: true,
    secretBox: new SecretBox(randomBytes(32)),
    metrics,
    clock: systemClock,
    log: silentLog,
    lifecycle,
    ...options,
    limits: options.limits ?? NO_RATE_LIMITS,
    beforeListening: async (device) => {
      await options.atFirstAccount?.();
      first = await device.createFirstAccount('owner@localhost');
    },
  });
  if (first === undefined) throw new Error('the database was not empty');
  const { apiKey: key, password } = first;
  return {
    api: new RestClient(mesh.url, key),
    key,
    email: first.email,
    password,
    mesh,
    metrics,
    database,
    phones,
    close: () => lifecycle.close(),
  };
}

/** The simulator in this process: same rpcs, no socket. */
function linkInMemory(host: PhoneHost) {
  const lease = new DriverLease({ clock: systemClock, graceMs: 1e9, onAbandoned: () => undefined });
  const routes = simulatorRpc(host, lease, () => undefined);
  const transport = createRouterTransport((router) => router.service(SimulatorService, routes), {
    router: { interceptors: [sendErrors(silentLog)] },
  });
  return {
    transport: receiveErrors(transport, 'the simulator'),
    isUp: () => Promise.resolve(true),
    ensure: () => Promise.resolve(),
    close: () => undefined,
  };
}
