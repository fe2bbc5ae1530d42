import { type Client, createClient } from '@connectrpc/connect';
import { Registry } from 'prom-client';
import type { Db } from 'mongodb';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { createDeviceService, type DeviceServiceInstance } from '../../device-service/service.js';
import type { Prices } from '../../device-service/accounts/billing/prices.js';
import type { Payments } from '../../device-service/accounts/topups/payments.js';
import type { DeviceDocument } from '../../device-service/store/devices.js';
import { openStores, type Stores } from '../../device-service/store/stores.js';
import { type Clock, systemClock } from '../../kit/async/clock.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { until } from '../../testing/until.js';
import { silentLog } from '../../kit/log/log.js';
import { joinInMemory } from '../../kit/rpc/transport.js';
import { AccountService } from '../../proto/gen/cloudphone/access/v1/account_service_pb.js';
import { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { KeyScope } from '../../proto/gen/cloudphone/access/v1/key_pb.js';
import { UsageService } from '../../proto/gen/cloudphone/billing/v1/usage_service_pb.js';
import type { ListedStatus } from '../../phone/driver.js';
import { ExitType, Plan } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { DeviceService } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { type CreateGroupRequestSchema, GroupService } from '../../proto/gen/cloudphone/device/v1/group_service_pb.js';
import { JobService } from '../../proto/gen/cloudphone/device/v1/job_service_pb.js';
import {
  type CreateScheduleRequestSchema,
  ScheduleService,
} from '../../proto/gen/cloudphone/device/v1/schedule_service_pb.js';
import { SnapshotService } from '../../proto/gen/cloudphone/device/v1/snapshot_service_pb.js';
import type { EventService } from '../../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import type { ScreenService } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { FakeDriver } from '../fake-driver.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../temporary-database.js';
import { type MortalDatabase, mortalDatabase } from '../../testing/mortal-database.js';

/** A customer, by the rpcs that the edge calls. */
export type Customer = ReturnType<ServiceWorld['customer']> extends Promise<infer C> ? C : never;

/** The device service alone, on phones that are a word each and a clock that the test turns. It can be killed at any call. */
export class ServiceWorld {
  readonly clock: FakeClock;
  readonly driver = new FakeDriver();
  readonly stores: Stores;
  readonly #opened: TemporaryDatabase;
  readonly #payments: Payments | undefined;
  /** What phones cost, for the process that is started next. */
  prices: Prices | undefined;
  /** The screen service that a started process gets, for steps of groups. */
  screen: Client<typeof ScreenService> | undefined;
  /** The webhook service that a started process gets, for events. */
  events: Client<typeof EventService> | undefined;
  #service: DeviceServiceInstance | undefined;
  #way: MortalDatabase | undefined;
  #timers: MortalClock | undefined;
  #isFull = false;

  private constructor(opened: TemporaryDatabase, stores: Stores, clock: FakeClock, payments?: Payments) {
    this.#opened = opened;
    this.#payments = payments;
    this.stores = stores;
    this.clock = clock;
  }

  /** `startMs`: the time at which it begins. `payments`: the provider that takes the money for top-ups. */
  static async open(startMs?: number, payments?: Payments): Promise<ServiceWorld> {
    const opened = await openTemporaryDatabase();
    const world = new ServiceWorld(
      opened,
      await openStores(opened.database, { clock: systemClock, log: silentLog }),
      new FakeClock(startMs),
      payments,
    );
    await world.begin();
    return world;
  }

  get database(): Db {
    return this.#opened.database;
  }

  get service(): DeviceServiceInstance {
    if (this.#service === undefined) throw new Error('the service is not running');
    return this.#service;
  }

  /** Starts the service, as a new process. */
  async begin(): Promise<void> {
    this.#way = mortalDatabase(this.#opened.database);
    this.#way.setFull(this.#isFull);
    this.#timers = new MortalClock(this.clock);
    this.#service = await createDeviceService({
      clock: this.#timers,
      log: silentLog,
      metrics: new Registry(),
      database: this.#way.database,
      drivers: [this.driver],
      hostId: 'host-1',
      meshToken: undefined,
      seeBack: async ({ identity }) => ({ serial: identity.split('/')[0] ?? '', androidId: 'a', mac: 'm' }),
      payments: this.#payments,
      // Its phones have no ADB.
      checkPhone: async () => undefined,
      ...(this.prices !== undefined && { prices: this.prices }),
      ...(this.screen !== undefined && { screen: this.screen }),
      ...(this.events !== undefined && { events: this.events }),
    });
  }

  /** Kills it after `calls` more calls to the database: nothing is tidied up. */
  dieAfter(calls: number): void {
    this.#way?.dieAfter(calls);
  }

  /** Lets the disk of the database be full, or have room again. */
  setFull(isFull: boolean): void {
    this.#isFull = isFull;
    this.#way?.setFull(isFull);
  }

  get refusedWrites(): number {
    return this.#way?.refusedWrites ?? 0;
  }

  /** Resolves when a call came after those. */
  async cut(): Promise<void> {
    await this.#way?.cut();
  }

  /** Ends the service as a crash does: it does nothing from here on. */
  kill(): void {
    this.dieAfter(0);
    this.#timers?.die();
    this.#service = undefined;
  }

  async close(): Promise<void> {
    await this.#service?.close();
    await this.#opened.close();
  }

  /** Turns the clock, charges due minutes and lets every job end. */
  async pass(ms: number): Promise<void> {
    this.clock.turn(ms);
    await this.service.meter();
    await this.idle();
  }

  /** Waits until no job is at work, and every device that is recorded as running has a phone that runs. */
  async idle(): Promise<void> {
    await until(async () => {
      const devices = await this.stores.devices.listAll(1_000);
      const phones = await this.driver.list();
      const asRecorded = devices.every(
        ({ _id, state, endpoint }) => state !== 'running' || isRunning(phones.get(_id), endpoint?.identity),
      );
      return asRecorded && devices.every(({ job }) => job === undefined);
    });
  }

  device(phoneId: string): Promise<DeviceDocument | null> {
    return this.stores.devices.findById(phoneId);
  }

  /** Lists devices with any Authorization header. */
  callAs(authorization: string) {
    return createClient(DeviceService, joinInMemory(this.service.rpc, undefined)).listDevices(
      {},
      { headers: { authorization } },
    );
  }

  /** Makes an account and a key of it. */
  async customer(email: string) {
    const way = () => joinInMemory(this.service.rpc, undefined);
    const admin = () => createClient(AdminService, way());
    await admin().createAccount({ email, password: 'correct horse' });
    const { key } = await admin().createAccountKey({ email, name: 'k', scope: KeyScope.CONTROL, devices: ['*'] });
    const accountId = (await this.stores.accounts.findByEmail(email))?._id ?? '';
    const headers = { authorization: `Bearer ${key?.key ?? ''}` };
    const devices = () => createClient(DeviceService, way());
    const groups = () => createClient(GroupService, way());
    const schedules = () => createClient(ScheduleService, way());
    const network = { type: ExitType.DIRECT, country: 'us' };
    return {
      accountId,
      credit: (amount: string, id?: string) =>
        admin().creditAccount({ email, amount, ...(id !== undefined && { id }) }),
      account: async () => (await createClient(AccountService, way()).getAccount({}, { headers })).account!,
      usage: (range: { from?: string; to?: string } = {}) =>
        createClient(UsageService, way()).getUsage(range, { headers }),
      usageDays: async (range: { from?: string; to?: string } = {}) =>
        (await createClient(UsageService, way()).listUsageDays(range, { headers })).days,
      create: (init: { name?: string; start?: boolean; plan?: Plan; idempotencyKey?: string } = {}) =>
        devices().createDevice({ model: 'phone-720p', network, plan: Plan.MINUTE, ...init }, { headers }),
      start: (name: string) => devices().startDevice({ name }, { headers }),
      stop: (name: string) => devices().stopDevice({ name }, { headers }),
      restart: (name: string) => devices().restartDevice({ name }, { headers }),
      remove: (name: string) => devices().deleteDevice({ name }, { headers }),
      get: async (name: string) => (await devices().getDevice({ name }, { headers })).device!,
      snapshots: () => createClient(SnapshotService, way()),
      headers,
      group: async (init: MessageInitShape<typeof CreateGroupRequestSchema>) =>
        (await groups().createGroup(init, { headers })).group!,
      cancelGroup: (id: string) => groups().cancelGroup({ id }, { headers }),
      getGroup: async (id: string) => (await groups().getGroup({ id }, { headers })).group!,
      getJob: async (id: string) => (await createClient(JobService, way()).getJob({ id }, { headers })).job!,
      schedule: async (init: MessageInitShape<typeof CreateScheduleRequestSchema>) =>
        (await schedules().createSchedule(init, { headers })).schedule!,
      getSchedule: async (id: string) => (await schedules().getSchedule({ id }, { headers })).schedule!,
      revoke: () => admin().revokeAccountKey({ id: key?.id ?? '' }),
      ledger: () => this.stores.entries.listAll(accountId),
    };
  }
}

/** The timers of one process: they end with it. */
class MortalClock implements Clock {
  readonly #clock: FakeClock;
  #dead = false;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  die(): void {
    this.#dead = true;
  }

  now(): number {
    return this.#clock.now();
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs();
  }

  after(ms: number, run: () => void) {
    return this.#clock.after(ms, () => {
      if (!this.#dead) run();
    });
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal).then(() => (this.#dead ? new Promise<void>(() => undefined) : undefined));
  }
}

function isRunning(status: ListedStatus | undefined, identity: string | undefined): boolean {
  return status?.state === 'running' && status.endpoint.identity === identity;
}
