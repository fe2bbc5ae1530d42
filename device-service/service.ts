import { randomUUID } from 'node:crypto';
import type { Client } from '@connectrpc/connect';
import type { Db } from 'mongodb';
import type { Registry } from 'prom-client';
import type { Clock } from '../kit/clock.js';
import type { Log } from '../kit/log.js';
import { CallerCache } from '../kit/rpc/caller-cache.js';
import { callerOf } from '../kit/rpc/context.js';
import { serverInterceptors } from '../kit/rpc/interceptors.js';
import type { RpcService } from '../kit/rpc/rpc-service.js';
import type { PhoneDriver } from '../phone/driver.js';
import { AccessService } from '../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { DeviceService } from '../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { HealthService } from '../proto/gen/cloudphone/device/v1/health_service_pb.js';
import { JobService } from '../proto/gen/cloudphone/device/v1/job_service_pb.js';
import { ModelService } from '../proto/gen/cloudphone/device/v1/model_service_pb.js';
import { NetworkService } from '../proto/gen/cloudphone/device/v1/network_service_pb.js';
import { PhoneService } from '../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import type { EventService } from '../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import { authenticateWith } from './access/authenticate.js';
import { listSubscribers } from './access/list-subscribers.js';
import { findVisibleDevice } from './access/visibility.js';
import { createFirstAccount, type FirstAccount } from './access/first-start.js';
import { HealthEvents } from './events/health-events.js';
import { JobEvents } from './events/job-events.js';
import { type CheckPhone, checkThroughAdb } from './health/check-phone.js';
import { getHealth } from './health/get-health.js';
import { HealthWatch } from './health/health-watch.js';
import { HostChooser } from './hosts/host-chooser.js';
import { JobBell } from './jobs/job-bell.js';
import { JobFiler } from './jobs/job-filer.js';
import { JobWorker } from './jobs/worker.js';
import { CALLER_CACHE_MS } from './limits.js';
import { simulatedExits } from './network/exits.js';
import { locatePhone } from './phones/locate-phone.js';
import { locatePhones } from './phones/locate-phones.js';
import { reportLost } from './phones/report-lost.js';
import { reconcile } from './phones/reconcile.js';
import { modelRpc, networkRpc } from './rpc/catalogue-rpc.js';
import { deviceRpc } from './rpc/device-rpc.js';
import { jobRpc } from './rpc/job-rpc.js';
import { openStores } from './store/stores.js';
import { worksWith } from './work/works.js';

export interface DeviceServiceOptions {
  clock: Clock;
  log: Log;
  metrics: Registry;
  database: Db;
  driver: PhoneDriver;
  /** The machine whose phones this instance owns. At most one instance of a host runs at a time. */
  hostId: string;
  meshToken: string | undefined;
  /** The webhook service; absent: nobody is told of events. */
  events?: Client<typeof EventService>;
  /** Looks at a running phone. Absent: through ADB. */
  checkPhone?: CheckPhone;
}

export interface DeviceServiceInstance {
  rpc: RpcService;
  /** On an empty database makes the first account and its key. */
  createFirstAccount(email: string): Promise<FirstAccount | undefined>;
  /** Lets running jobs end (bounded) and leaves the others to the next start. */
  close(): Promise<void>;
}

/** Opens the stores, makes database and phones agree, and begins to work. */
export async function createDeviceService(options: DeviceServiceOptions): Promise<DeviceServiceInstance> {
  const { clock, log, driver, hostId } = options;
  const stores = await openStores(options.database);
  const bell = new JobBell();
  const works = worksWith(driver, clock);
  const workerId = `${hostId}/${randomUUID()}`;
  const events = new JobEvents({ ...stores, events: options.events, clock, log });
  const healthEvents = new HealthEvents({ ...stores, events: options.events, hostId, clock, log });
  const filer = new JobFiler({ ...stores, events, clock, log });
  const worker = new JobWorker({ ...stores, filer, events, healthEvents, works, bell, clock, log, hostId, workerId });
  // Simulated phones cost next to nothing; a real one takes what its model says.
  const phoneMemoryMb = (model: { memoryMb: number }): number => (driver.kind === 'simulated' ? 2 : model.memoryMb);
  const hosts = new HostChooser({ hosts: stores.hosts, hostId, driver: driver.kind, phoneMemoryMb, clock, log });
  const exits = simulatedExits();
  const parts = { devices: stores.devices, jobs: stores.jobs, worker, bell, clock };

  const healthWatch = new HealthWatch({
    devices: stores.devices,
    hostId,
    check: options.checkPhone ?? checkThroughAdb(clock),
    told: (phoneId) => void healthEvents.tell(phoneId),
    clock,
    log,
  });

  driver.onLost((phoneId, reason) => void reportLost({ ...parts, healthEvents, log }, phoneId, reason));
  await reconcile({ ...parts, filer, driver, hosts: stores.hosts, log });
  await hosts.start();
  worker.start();
  events.start();
  healthEvents.start();
  healthWatch.start();

  const authenticate = authenticateWith(stores.keys);
  const callers = new CallerCache({ ask: authenticate, clock, ttlMs: CALLER_CACHE_MS });
  return {
    rpc: {
      name: 'the device service',
      contracts: [DeviceService, JobService, ModelService, NetworkService, HealthService, PhoneService, AccessService],
      interceptors: serverInterceptors({ ...options, authenticate: callers.authenticate }),
      routes: (router) =>
        router
          .service(DeviceService, deviceRpc({ ...parts, models: driver.models(), exits, hosts, driver: driver.kind }))
          .service(JobService, jobRpc(parts))
          .service(ModelService, modelRpc(driver.models()))
          .service(HealthService, {
            getHealth: (_request, context) => getHealth(stores.devices, callerOf(context)),
          })
          .service(NetworkService, networkRpc(exits))
          .service(PhoneService, {
            locatePhone: ({ name }, context) => locatePhone(stores.devices, callerOf(context), name),
            identifyPhone: async ({ name }, context) => {
              const { _id: phoneId, accountId } = await findVisibleDevice(stores.devices, callerOf(context), name);
              return { phoneId, accountId };
            },
            locatePhones: async ({ phoneIds }) => ({ phones: await locatePhones(stores.devices, phoneIds) }),
          })
          .service(AccessService, {
            authenticate: async ({ authorization }) => ({ caller: await authenticate(authorization) }),
            listSubscribers: async (request) => ({ subscribers: await listSubscribers(stores.keys, request) }),
            checkKeys: async ({ keyIds }) => ({ goodKeyIds: await stores.keys.findGood(keyIds) }),
          }),
    },
    createFirstAccount: (email) => createFirstAccount(stores, clock, email),
    close: async () => {
      hosts.close();
      healthWatch.close();
      await worker.close();
      await filer.close();
      events.close();
      healthEvents.close();
    },
  };
}
