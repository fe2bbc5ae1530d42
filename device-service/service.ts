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
import type { SecretBox } from '../kit/secret-box.js';
import type { PhoneDriver } from '../phone/driver.js';
import { AccessService } from '../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { AccountService } from '../proto/gen/cloudphone/access/v1/account_service_pb.js';
import { AdminService } from '../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { KeyService } from '../proto/gen/cloudphone/access/v1/key_service_pb.js';
import { SessionService } from '../proto/gen/cloudphone/access/v1/session_service_pb.js';
import { TopupService } from '../proto/gen/cloudphone/billing/v1/topup_service_pb.js';
import { UsageService } from '../proto/gen/cloudphone/billing/v1/usage_service_pb.js';
import { DeviceService } from '../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { HealthService } from '../proto/gen/cloudphone/device/v1/health_service_pb.js';
import { JobService } from '../proto/gen/cloudphone/device/v1/job_service_pb.js';
import { ModelService } from '../proto/gen/cloudphone/device/v1/model_service_pb.js';
import { NetworkService } from '../proto/gen/cloudphone/device/v1/network_service_pb.js';
import { PhoneService } from '../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import type { EventService } from '../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import { authenticateWith } from './access/authenticate.js';
import { createFirstAccount, type FirstAccount } from './access/first-start.js';
import { LastUse } from './access/last-use.js';
import { Passwords } from './access/passwords.js';
import { Throttle } from './access/throttle.js';
import { findVisibleDevice } from './access/visibility.js';
import { keepPayment } from './billing/creation-payment.js';
import { Ledger } from './billing/ledger.js';
import { Meter } from './billing/meter.js';
import { HealthEvents } from './events/health-events.js';
import { JobEvents } from './events/job-events.js';
import { type CheckPhone, checkThroughAdb } from './health/check-phone.js';
import { getHealth } from './health/get-health.js';
import { HealthWatch } from './health/health-watch.js';
import { HostChooser } from './hosts/host-chooser.js';
import { Once } from './idempotency/once.js';
import { JobBell } from './jobs/job-bell.js';
import { JobFiler } from './jobs/job-filer.js';
import { JobWorker } from './jobs/worker.js';
import { CALLER_CACHE_MS } from './limits.js';
import { deviceMetrics } from './metrics.js';
import { simulatedExits } from './network/exits.js';
import { checkUses } from './phones/check-uses.js';
import { locatePhone } from './phones/locate-phone.js';
import { locatePhones } from './phones/locate-phones.js';
import { reportLost } from './phones/report-lost.js';
import { reconcile } from './phones/reconcile.js';
import { accessRpc } from './rpc/access-rpc.js';
import { accountRpc, sessionRpc } from './rpc/account-rpc.js';
import { adminRpc } from './rpc/admin-rpc.js';
import { modelRpc, networkRpc } from './rpc/catalogue-rpc.js';
import { deviceRpc } from './rpc/device-rpc.js';
import { jobRpc } from './rpc/job-rpc.js';
import { keyRpc } from './rpc/key-rpc.js';
import { topupRpc } from './rpc/topup-rpc.js';
import { usageRpc } from './rpc/usage-rpc.js';
import { openStores } from './store/stores.js';
import type { Payments } from './topups/payments.js';
import { type SettleRun, worksWith } from './work/works.js';

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
  /** Whether anyone may make an account. Absent: yes. */
  signUpOpen?: boolean;
  /** Whether webhooks may go to http and to private addresses. Absent: no. */
  allowPrivateTargets?: boolean;
  /** Seals secrets in the database. Absent: they are stored as they are. */
  secretBox?: SecretBox | undefined;
  /** Who takes the money for top-ups. Absent: the operator gives credit. */
  payments?: Payments | undefined;
}

export interface DeviceServiceInstance {
  rpc: RpcService;
  /** Answers those who wait for a job with the job as it is, now and from now on. To be called before the ports drain. */
  endWaits(): void;
  /** On an empty database makes the first account and its key. `keep` gets them before they are made. */
  createFirstAccount(email: string, keep?: (first: FirstAccount) => void): Promise<FirstAccount | undefined>;
  /** Charges what is due now, beside doing so every few seconds. */
  meter(): Promise<void>;
  /** Lets running jobs end (bounded) and leaves the others to the next start. */
  close(): Promise<void>;
}

/** Opens the stores, makes database and phones agree, and begins to work. */
export async function createDeviceService(options: DeviceServiceOptions): Promise<DeviceServiceInstance> {
  const { clock, log, driver, hostId, signUpOpen = true, allowPrivateTargets = false } = options;
  const stores = await openStores(options.database, options.secretBox);
  const bell = new JobBell();
  const ledger = new Ledger(stores.entries, clock);
  const settle: SettleRun = (device, endMs) => meter.settle(device, endMs);
  const works = worksWith(driver, clock, settle, (device) => keepPayment(stores, device));
  const workerId = `${hostId}/${randomUUID()}`;
  const events = new JobEvents({ ...stores, events: options.events, clock, log });
  const healthEvents = new HealthEvents({ ...stores, events: options.events, hostId, clock, log });
  const filer = new JobFiler({ ...stores, events, clock, log });
  const metrics = deviceMetrics({ ...options, ...stores, running: () => worker.running });
  const working = { works, bell, metrics, clock, log, hostId, workerId };
  const worker: JobWorker = new JobWorker({ ...stores, filer, events, healthEvents, ...working });
  // Simulated phones cost next to nothing; a real one takes what its model says.
  const phoneMemoryMb = (model: { memoryMb: number }): number => (driver.kind === 'simulated' ? 2 : model.memoryMb);
  const hosts = new HostChooser({ hosts: stores.hosts, hostId, driver: driver.kind, phoneMemoryMb, clock, log });
  const exits = simulatedExits();
  const parts = { ...stores, ledger, worker, bell, clock };
  const meter = new Meter({ ...parts, log, hostId });

  const healthWatch = new HealthWatch({
    devices: stores.devices,
    hostId,
    check: options.checkPhone ?? checkThroughAdb({ clock, allowPrivateTargets }),
    told: (phoneId) => void healthEvents.tell(phoneId),
    clock,
    log,
  });

  const watching = new AbortController();
  const watch = async (): Promise<void> => {
    for await (const { phoneId, reason } of driver.watch(watching.signal)) {
      void reportLost({ ...parts, settle, healthEvents, log }, phoneId, reason);
    }
  };
  void watch();
  await reconcile({ ...parts, settle, filer, driver, log });
  await hosts.start();
  worker.start();
  events.start();
  healthEvents.start();
  healthWatch.start();
  meter.start();

  const lastUse = new LastUse({ ...stores, clock, log });
  const authenticate = authenticateWith({ ...stores, lastUse, clock });
  const callers = new CallerCache({ ask: authenticate, clock, ttlMs: CALLER_CACHE_MS });
  const access = {
    ...parts,
    passwords: new Passwords(),
    throttle: new Throttle(clock),
    forgetCallers: () => callers.clear(),
    signUpOpen,
    allowPrivateTargets,
  };
  const creation = { ...parts, models: driver.capabilities().models, exits, hosts, driver: driver.kind };
  return {
    endWaits: () => bell.close(),
    rpc: {
      name: 'the device service',
      contracts: [
        ...[DeviceService, JobService, ModelService, NetworkService, HealthService, PhoneService],
        ...[AccessService, AccountService, SessionService, KeyService, AdminService, UsageService, TopupService],
      ],
      interceptors: serverInterceptors({ ...options, authenticate: callers.authenticate }),
      routes: (router) =>
        router
          .service(DeviceService, deviceRpc({ ...creation, once: new Once(stores.requests, clock) }))
          .service(JobService, jobRpc(parts))
          .service(ModelService, modelRpc(driver.capabilities().models))
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
            checkUses: async ({ uses }) => ({ allowed: await checkUses({ ...stores, clock }, uses) }),
          })
          .service(AccessService, accessRpc({ ...stores, authenticate }))
          .service(AccountService, accountRpc(access))
          .service(SessionService, sessionRpc(access))
          .service(KeyService, keyRpc(access))
          .service(AdminService, adminRpc(access))
          .service(UsageService, usageRpc(parts))
          .service(TopupService, topupRpc({ ...parts, payments: options.payments, log })),
    },
    createFirstAccount: (email, keep) => createFirstAccount(access, email, keep),
    meter: () => meter.tick(),
    close: async () => {
      watching.abort();
      hosts.close();
      healthWatch.close();
      await meter.close();
      await worker.close();
      await filer.close();
      await lastUse.close();
      events.close();
      healthEvents.close();
    },
  };
}
