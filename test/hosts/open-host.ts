import { createClient } from '@connectrpc/connect';
import type { Db } from 'mongodb';
import { Registry } from 'prom-client';
import type { ObjectStore } from '../../device-service/devices/snapshots/object-store.js';
import { createDeviceService, type DeviceServiceInstance } from '../../device-service/service.js';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import { listenRpc, type RpcListener } from '../../kit/rpc/listen.js';
import { connectTo } from '../../kit/rpc/transport.js';
import type { PhoneEndpoint, StartOptions } from '../../phone/driver.js';
import { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { ExitType, Plan } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { DeviceService } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { JobService } from '../../proto/gen/cloudphone/device/v1/job_service_pb.js';
import { SnapshotService } from '../../proto/gen/cloudphone/device/v1/snapshot_service_pb.js';
import { TemplateService } from '../../proto/gen/cloudphone/device/v1/template_service_pb.js';
import { FakeDriver } from '../fake-driver.js';

const MESH_TOKEN = 'a credential of tests with several hosts';

/** Notes when each start begins. */
export class TimedDriver extends FakeDriver {
  startedMs = 0;
  override async start(phoneId: string, options?: StartOptions): Promise<PhoneEndpoint> {
    this.startedMs = performance.now();
    return super.start(phoneId, options);
  }
}

/** A device service on a port of its own, and the clients of its callers. */
export interface Host {
  driver: TimedDriver;
  service: DeviceServiceInstance;
  devices: ReturnType<typeof createClient<typeof DeviceService>>;
  jobs: ReturnType<typeof createClient<typeof JobService>>;
  snapshots: ReturnType<typeof createClient<typeof SnapshotService>>;
  templates: ReturnType<typeof createClient<typeof TemplateService>>;
  admin: ReturnType<typeof createClient<typeof AdminService>>;
  lost: Error[];
  close(): Promise<void>;
}

/** Starts the device service of one host of several on a database. */
export async function openHost(
  database: Db,
  hostId: string,
  more: { driver?: TimedDriver; folderId?: string; snapshotStore?: ObjectStore } = {},
): Promise<Host> {
  const driver = more.driver ?? new TimedDriver();
  const lost: Error[] = [];
  const service = await createDeviceService({
    clock: systemClock,
    log: silentLog,
    metrics: new Registry(),
    database,
    drivers: [driver],
    hostId,
    folderId: more.folderId ?? `folder of ${hostId}`,
    lostHost: (reason) => lost.push(reason),
    meshToken: MESH_TOKEN,
    snapshotStore: more.snapshotStore,
    // The phones of these tests have no screen.
    seeBack: async () => ({ serial: '0F3A', androidId: '9c1e', mac: '02:5d:00:00:00:01' }),
  });
  const listener: RpcListener = await listenRpc(service.rpc, { host: '127.0.0.1', port: 0, guarded: true });
  const url = `http://127.0.0.1:${listener.port}`;
  await service.announce(url);
  const transport = connectTo({ url, service: 'the device service', meshToken: MESH_TOKEN });
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    service.endWaits();
    await listener.close();
    await service.close();
  };
  return {
    driver,
    service,
    devices: createClient(DeviceService, transport),
    jobs: createClient(JobService, transport),
    snapshots: createClient(SnapshotService, transport),
    templates: createClient(TemplateService, transport),
    admin: createClient(AdminService, transport),
    lost,
    close: () => (closed ??= close()),
  };
}

/** Creates a running device, as a caller with `headers` does, and returns its job's id. */
export async function createOn(through: Host, name: string, headers: { authorization: string }): Promise<string> {
  const network = { type: ExitType.DIRECT, country: 'us' };
  const made = await through.devices.createDevice(
    { name, model: 'phone-720p', network, plan: Plan.MINUTE },
    { headers },
  );
  if (made.job === undefined) throw new Error(`${name} has no job`);
  return made.job.id;
}
