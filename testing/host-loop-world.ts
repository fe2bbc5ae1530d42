import { MongoNetworkError } from 'mongodb';
import type { EndedJob } from '../device-service/record/ended-job.js';
import type { SettleRun } from '../device-service/record/device-run.js';
import { MissedPhones } from '../device-service/devices/converge/missed-phones.js';
import { HostLoop } from '../device-service/devices/converge/host-loop.js';
import { isWork, transitions } from '../device-service/record/transitions.js';
import type { WorkDone, WorkTask } from '../device-service/devices/jobs/worker.js';
import { STEADY_RUN_MS } from '../device-service/devices/limits.js';
import { PhoneDrivers } from '../device-service/devices/phones/phone-drivers.js';
import type { JobSnapshots } from '../device-service/devices/snapshots/job-snapshots.js';
import type { DeviceDocument, Job, JobKindWord } from '../device-service/store/device-document.js';
import type { DeviceStore } from '../device-service/store/devices.js';
import { openStores } from '../device-service/store/stores.js';
import { systemClock } from '../kit/async/clock.js';
import { silentLog } from '../kit/log/log.js';
import { FakeDriver } from '../test/fake-driver.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../test/temporary-database.js';
import { deviceDocument, runningDocument } from './device-document.js';
import { FakeClock, settled } from './fake-clock.js';
import { FaultyDriver } from './faulty-driver.js';

/** A host's loop with a clock, a driver and a database that fail as a test orders. Call it in a `describe`. */
export function hostLoopWorld(): HostLoopWorld {
  const world = new HostLoopWorld();
  before(() => world.openDatabase());
  after(() => world.closeDatabase());
  beforeEach(() => world.reset());
  afterEach(() => world.closeLoop());
  return world;
}

export class HostLoopWorld {
  stored!: DeviceStore;
  clock!: FakeClock;
  driver!: FaultyDriver;
  loop!: HostLoop;
  ended: EndedJob[] = [];
  /** The charges: which phone, up to which time. */
  charged: [string, number][] = [];
  /** Phones whose month was given back. */
  refunded: string[] = [];
  /** The database is not reached. */
  away = false;
  /** Charges the end of a run. */
  settle!: SettleRun;
  /** Phones that could not be paid. */
  unpaid = new Set<string>();
  /** Ends the hold on a phone's next minute. */
  release!: (device: DeviceDocument) => Promise<void>;
  /** `finish` does the last work of a job that is done; `workFailed` that of a snapshot job that failed. */
  finish!: JobSnapshots['finish'];
  workFailed!: JobSnapshots['workFailed'];
  /** Does the work of jobs on running phones. */
  worker: (task: WorkTask) => Promise<WorkDone> = async () => ({});
  /** Methods of the store whose next call is carried out, but loses its reply. */
  lostReplies = new Set<string>();
  #opened!: TemporaryDatabase;
  /** Calls of the store without a result yet. */
  #pending = 0;

  async openDatabase(): Promise<void> {
    this.#opened = await openTemporaryDatabase();
    this.stored = (await openStores(this.#opened.database, { clock: systemClock, log: silentLog })).devices;
  }

  async reset(): Promise<void> {
    await this.#opened.database.collection('devices').deleteMany({});
    this.clock = new FakeClock();
    this.driver = new FaultyDriver();
    this.ended = [];
    this.charged = [];
    this.refunded = [];
    this.unpaid = new Set();
    this.settle = async ({ _id }, endMs) => void this.charged.push([_id, endMs]);
    this.release = async () => undefined;
    this.finish = async () => undefined;
    this.workFailed = async () => undefined;
    this.away = false;
    this.worker = async () => ({});
    this.lostReplies = new Set();
    this.loop = this.open();
  }

  async closeLoop(): Promise<void> {
    const closed = this.loop.close(0);
    this.clock.turn(0);
    await closed;
  }

  closeDatabase(): Promise<void> {
    return this.#opened.close();
  }

  open(more: { hostId?: string; epoch?: number; seenBefore?: Date; drivers?: FaultyDriver[] } = {}): HostLoop {
    const devices = this.#faulty(this.stored);
    return new HostLoop({
      devices,
      drivers: new PhoneDrivers(more.drivers ?? [this.driver]),
      settle: (device, endMs) => this.settle(device, endMs),
      release: (device) => this.release(device),
      isUnpaid: (phoneId) => this.unpaid.has(phoneId),
      refund: async ({ _id }) => void this.refunded.push(_id),
      keepPayment: async () => undefined,
      workers: {
        install: (task) => this.worker(task),
        uninstall: (task) => this.worker(task),
        network: (task) => this.worker(task),
        rotate: (task) => this.worker(task),
        snapshot: () => Promise.reject(new Error('no snapshots are saved here')),
        template: () => Promise.reject(new Error('no templates are saved here')),
      },
      prepareExit: async ({ exit: { type, country, timezone } }) => ({ type, country, timezone }),
      missed: new MissedPhones({ devices, clock: this.clock }),
      jobSnapshots: {
        assertWhole: async (device, driver) => driver.snapshots?.check(device.job?.snapshot ?? ''),
        finish: (...given) => this.finish(...given),
        workFailed: (...given) => this.workFailed(...given),
      },
      jobTemplates: {
        find: () => Promise.reject(new Error('no templates are here')),
        fetch: () => Promise.reject(new Error('no templates are here')),
        assertWhole: () => Promise.reject(new Error('no templates are here')),
        workFailed: async () => undefined,
      },
      mover: {
        send: () => Promise.reject(new Error('no phone moves here')),
        arrive: () => Promise.reject(new Error('no phone moves here')),
      },
      onMoved: () => undefined,
      hostId: more.hostId ?? 'host-1',
      epoch: more.epoch ?? 1,
      seenBefore: more.seenBefore,
      onEnded: (one) => this.ended.push(one),
      onDeviceEvents: () => undefined,
      clock: this.clock,
      log: silentLog,
    });
  }

  /** The store, with a database that can be away or lose replies. */
  #faulty<T extends object>(store: T): T {
    return new Proxy(store, {
      get: (target, name: string) => {
        const method = Reflect.get(target, name) as (...given: unknown[]) => unknown;
        if (name === 'ofHost') return (...given: unknown[]) => this.#faulty(method.apply(target, given) as object);
        return async (...given: unknown[]): Promise<unknown> => {
          if (this.away) throw new MongoNetworkError('the database is away');
          this.#pending++;
          const result = await Promise.resolve(method.apply(target, given)).finally(() => this.#pending--);
          if (this.lostReplies.delete(name)) throw new MongoNetworkError('the reply was lost');
          return result;
        };
      },
    });
  }

  job(kind: JobKindWord, more: Partial<Job> = {}): Job {
    return { id: `job_${kind}`, kind, createdAt: new Date(this.clock.now()), progress: 0, ...more };
  }

  /** A new device with its create job at work. */
  async creating(more: Partial<Job> = {}): Promise<DeviceDocument> {
    const job = this.job('create', more);
    const device = deviceDocument({ state: 'creating', wanted: 'running', generation: 0, job });
    delete device.made;
    await this.stored.insert(device);
    return device;
  }

  /** A device that has been running for `forMs`, and its phone. */
  async running(more: Partial<DeviceDocument> = {}, forMs = STEADY_RUN_MS): Promise<DeviceDocument> {
    const phoneId = more._id ?? 'ph_1';
    this.driver.phones.set(phoneId, 'stopped');
    const endpoint = await FakeDriver.prototype.start.call(this.driver, phoneId);
    const device = runningDocument({ endpoint, startedAt: new Date(this.clock.now() - forMs), ...more });
    await this.stored.insert(device);
    this.driver.calls.length = 0;
    return device;
  }

  /** Accepts a job on the device as the service does, and begins it. */
  async accept(device: DeviceDocument, kind: JobKindWord): Promise<void> {
    this.loop.begin((await this.claim(device, kind))!);
  }

  /** Accepts a job on the device without beginning it, as a service does that ends at once. */
  claim(device: DeviceDocument, kind: JobKindWord): Promise<DeviceDocument | undefined> {
    const work = isWork(kind) ? { work: { kind: 'uninstall' as const, package: 'org.example.app' } } : {};
    return this.stored.claims.byId(device._id, [device.state], this.job(kind, work), transitions[kind].change ?? {});
  }

  async read(phoneId = 'ph_1'): Promise<DeviceDocument> {
    return (await this.stored.findById(phoneId))!;
  }

  /** Turns the clock in steps of `stepMs` until `holds` returns true. */
  async until(holds: () => boolean | Promise<boolean>, stepMs = 100): Promise<void> {
    for (let tries = 0; tries < 3_000; tries++) {
      if (await holds()) return;
      // Replies of the database come in real time: minutes of the clock must not pass meanwhile.
      do await new Promise((resolve) => setTimeout(resolve, 1));
      while (this.#pending > 0);
      this.clock.turn(stepMs);
      await settled();
    }
    throw new Error('it never came to hold');
  }

  readonly hasEnded = (): boolean => this.ended.length > 0;

  outcome(): Job['outcome'] {
    return this.ended[0]?.job.outcome;
  }
}
