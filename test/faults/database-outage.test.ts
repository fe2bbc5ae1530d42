import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createDeviceService, type DeviceServiceInstance } from '../../device-service/service.js';
import type { DeviceDocument } from '../../device-service/store/device-document.js';
import type { HostDocument } from '../../device-service/store/hosts.js';
import type { JobDocument } from '../../device-service/store/jobs.js';
import { openStores, type Stores } from '../../device-service/store/stores.js';
import { systemClock } from '../../kit/async/clock.js';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../embedded-mongo/embedded-mongo.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { silentLog } from '../../kit/log/log.js';
import { connectMongo, type MongoConnection } from '../../kit/db/mongo.js';
import { joinInMemory } from '../../kit/rpc/transport.js';
import type { PhoneEndpoint, PhoneSpec, StartOptions } from '../../phone/driver.js';
import { ExitType, Plan } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { DeviceService } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { FakeDriver } from '../fake-driver.js';
import { type Commands, DatabaseProxy, type Fault } from './database-proxy.js';
import { awayFromEnd, MINUTE_MS } from '../../testing/away-from-end.js';
import { until } from '../../testing/until.js';

/** Notes each operation and its phone; none goes on while it is held. */
class HeldDriver extends FakeDriver {
  readonly done: string[] = [];
  #held: Promise<void> = Promise.resolve();
  #release = (): void => undefined;

  hold(): void {
    this.#held = new Promise((resolve) => (this.#release = resolve));
  }

  release(): void {
    this.#release();
  }

  override async create(phone: PhoneSpec): Promise<void> {
    this.done.push(`create ${phone.name}`);
    await this.#held;
    await super.create(phone);
  }

  override async start(phoneId: string, options?: StartOptions): Promise<PhoneEndpoint> {
    this.done.push(`start ${phoneId}`);
    await this.#held;
    return super.start(phoneId, options);
  }

  override async stop(phoneId: string): Promise<void> {
    this.done.push(`stop ${phoneId}`);
    await this.#held;
    await super.stop(phoneId);
  }

  override async delete(phoneId: string): Promise<void> {
    this.done.push(`delete ${phoneId}`);
    await this.#held;
    await super.delete(phoneId);
  }
}

describe('the device service while its database fails', function () {
  let directory: string;
  let server: EmbeddedMongo;
  let proxy: DatabaseProxy;
  let throughProxy: MongoConnection;
  let direct: MongoConnection;
  let stores: Stores;
  let driver: HeldDriver;
  let service: DeviceServiceInstance;
  let client: ReturnType<typeof customer>;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-outage-'));
    server = await startEmbeddedMongo({ directory, log: silentLog });
    proxy = await DatabaseProxy.open(server.url);
    direct = await connectMongo({ url: server.url, database: 'outage', log: silentLog });
    throughProxy = await connectMongo({ url: proxy.url, database: 'outage', log: silentLog });
    stores = await openStores(direct.database, { clock: systemClock, log: silentLog });
    driver = new HeldDriver();
    service = await createDeviceService({
      clock: systemClock,
      log: silentLog,
      metrics: new Registry(),
      database: throughProxy.database,
      drivers: [driver],
      hostId: 'host-1',
      meshToken: undefined,
    });
    client = customer((await service.createFirstAccount('owner@localhost'))?.apiKey ?? '');
  });

  after(async () => {
    await service.close();
    await throughProxy.close();
    await direct.close();
    await proxy.close();
    await server.close();
    rmSync(directory, { recursive: true });
  });

  beforeEach(() => {
    driver.done.length = 0;
  });

  function customer(key: string) {
    const devices = createClient(DeviceService, joinInMemory(service.rpc, undefined));
    const headers = { authorization: `Bearer ${key}` };
    const network = { type: ExitType.DIRECT, country: 'us' };
    return {
      create: (name: string, start = true) =>
        devices.createDevice(
          { name, model: 'phone-720p', network, plan: Plan.MINUTE, start, idempotencyKey: `key-of-${name}` },
          { headers },
        ),
      start: (name: string) => devices.startDevice({ name }, { headers }),
      stop: (name: string) => devices.stopDevice({ name }, { headers }),
      restart: (name: string) => devices.restartDevice({ name }, { headers }),
      remove: (name: string) => devices.deleteDevice({ name }, { headers }),
      list: () => devices.listDevices({}, { headers }),
    };
  }

  const devices = (): Promise<DeviceDocument[]> =>
    direct.database.collection<DeviceDocument>('devices').find().toArray();
  const jobsOf = (phoneId: string): Promise<JobDocument[]> =>
    direct.database.collection<JobDocument>('jobs').find({ phoneId }).toArray();
  async function device(name: string): Promise<DeviceDocument> {
    const found = (await devices()).find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no device ${name}`);
    return found;
  }

  /** Repeats a request as a customer does, after a 503. The error `busy` shows that the request had got through. */
  async function insist(call: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await call();
        return;
      } catch (error) {
        if (error instanceof ApiError && error.kind === 'busy') return;
        if (!(error instanceof ApiError) || error.kind !== 'unavailable') throw error;
        await systemClock.sleep(50);
      }
    }
  }

  /** Waits until every job has ended and is filed. */
  const settled = (): Promise<void> =>
    until(async () =>
      (await devices()).every(
        ({ job, finished = [], gone }) => job === undefined && finished.length === 0 && gone !== true,
      ),
    );

  /** The minutes that the ledger charges the phone for. */
  async function charged(phoneId: string): Promise<number[]> {
    const accountId = (await stores.accounts.findByEmail('owner@localhost'))?._id ?? '';
    const entries = await stores.entries.listAll(accountId);
    let balanceMicros = 0;
    for (const entry of entries) {
      balanceMicros += entry.amountMicros;
      expect(entry.balanceMicros, entry._id).to.equal(balanceMicros);
    }
    return entries
      .filter(({ device: of, kind }) => of?.phoneId === phoneId && kind === 'minute')
      .map(({ at }) => minuteOf(at.getTime()));
  }

  const hostRecord = () => direct.database.collection<HostDocument>('hosts').findOne({});

  /** The minutes from the one time to the other that are due: a minute that begins while nobody could stop the phone is free (ADR 86). */
  async function due(startedAt: Date | undefined, toMs: number): Promise<number[]> {
    const startMs = startedAt!.getTime();
    const host = await hostRecord();
    return minutes(startMs, toMs).filter((minute) => {
      const beginMs = Math.max(minute * 60_000, startMs);
      return (host?.outages ?? []).every(({ from, to }) => beginMs < from.getTime() || beginMs >= to!.getTime());
    });
  }

  async function running(name: string): Promise<DeviceDocument> {
    await client.create(name);
    await settled();
    driver.done.length = 0;
    return device(name);
  }

  const steps: [string, Commands][] = [
    ['accept', { name: 'findAndModify', collection: 'devices' }],
    ['change', { name: 'findAndModify', collection: 'devices', skip: 1 }],
    ['finish', { name: 'update', collection: 'devices' }],
    ['file', { name: 'insert', collection: 'jobs' }],
  ];
  const faults: (Fault & string)[] = [
    'reset before',
    'reset after',
    'reset in reply',
    'not primary',
    'write concern failed',
  ];
  for (const fault of faults) {
    for (const [step, commands] of steps) {
      // Twice where it is sent again as it was, as the driver does by itself.
      it(`does a restart once when ${fault} happens at its ${step}`, async () => {
        const name = `${step}-${fault.replaceAll(' ', '-')}`;
        const before = await running(name);
        const ordered = proxy.order(fault, { ...commands, times: 2 });
        // A job that ends before the request is sent again would be a second restart, which the customer requested.
        driver.hold();
        await insist(() => client.restart(name));
        driver.release();
        await until(() => ordered.met > 0);
        await settled();
        ordered.cancel();
        expect(driver.done).to.deep.equal([`stop ${before._id}`, `start ${before._id}`]);
        const jobs = await jobsOf(before._id);
        expect(jobs.map(({ kind, outcome }) => `${kind} ${outcome.state}`).sort()).to.deep.equal([
          'create done',
          'restart done',
        ]);
        const after = await device(name);
        expect(after).to.include({ state: 'running', generation: before.generation + 1 });
        await awayFromEnd(MINUTE_MS, 5_000);
        const nowMs = Date.now();
        await service.meter();
        expect(await charged(before._id)).to.deep.equal(await due(before.startedAt, nowMs));
        await insist(() => client.remove(name));
        await settled();
      });
    }
  }

  for (const [what, begin, end] of [
    ['away', () => proxy.goAway(), () => proxy.comeBack()],
    ['stopped', () => proxy.freeze(), () => proxy.thaw()],
  ] as const) {
    it(`is ${what} for some seconds while jobs of all kinds are done: none fails, none is done twice, bills are exact`, async () => {
      const [stopping, restarting, deleting] = [
        await running(`${what}-stop`),
        await running(`${what}-restart`),
        await running(`${what}-delete`),
      ];
      await client.create(`${what}-start`, false);
      await settled();
      const starting = await device(`${what}-start`);
      driver.done.length = 0;
      await awayFromEnd(MINUTE_MS, 5_000);
      driver.hold();
      await Promise.all([
        client.stop(stopping.name),
        client.start(starting.name),
        client.restart(restarting.name),
        client.remove(deleting.name),
        client.create(`${what}-create`),
      ]);
      const acceptedMs = Date.now();
      const creating = await device(`${what}-create`);
      await until(() => driver.done.length === 5);
      await begin();
      driver.release();

      // Three seconds of requests, each refused.
      const awayMs = performance.now();
      while (performance.now() - awayMs < 3_000) {
        const refusal = await client.list().then(
          () => undefined,
          (error: unknown) => error,
        );
        expect(refusal).to.be.instanceOf(ApiError).with.property('kind', 'unavailable');
      }
      await end();
      const backMs = Date.now();
      await insist(() => client.list());
      await settled();
      // The first renewal of the host's lease writes the outage, if it was long enough to be one.
      await until(async () => ((await hostRecord())?.seenAt.getTime() ?? 0) > backMs, 30_000);

      expect([...driver.done].sort()).to.deep.equal(
        [
          `create ${creating.name}`,
          `delete ${deleting._id}`,
          `start ${creating._id}`,
          `start ${restarting._id}`,
          `start ${starting._id}`,
          `stop ${restarting._id}`,
          `stop ${stopping._id}`,
        ].sort(),
      );
      const all = [stopping, starting, restarting, deleting, creating];
      for (const { _id, name } of all) {
        for (const { kind, outcome } of await jobsOf(_id)) expect(outcome.state, `${kind} of ${name}`).to.equal('done');
      }
      expect((await device(stopping.name)).state).to.equal('stopped');
      await awayFromEnd(MINUTE_MS, 5_000);
      const nowMs = Date.now();
      await service.meter();
      expect(await charged(stopping._id)).to.deep.equal(await due(stopping.startedAt, acceptedMs));
      expect(await charged(deleting._id)).to.deep.equal(await due(deleting.startedAt, acceptedMs));
      expect(await charged(restarting._id)).to.deep.equal(await due(restarting.startedAt, nowMs));
      for (const { name, _id } of [starting, creating]) {
        const now = await device(name);
        expect(now.state).to.equal('running');
        expect(await charged(_id)).to.deep.equal(await due(now.startedAt, nowMs));
      }
    });
  }
});

function minuteOf(ms: number): number {
  return Math.floor(ms / 60_000);
}

/** Every minute that was begun from the one time to the other. */
function minutes(fromMs: number, toMs: number): number[] {
  const first = minuteOf(fromMs);
  return Array.from({ length: minuteOf(toMs) - first + 1 }, (_, index) => first + index);
}
