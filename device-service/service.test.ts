import { createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { systemClock } from '../kit/async/clock.js';
import { ApiError } from '../kit/errors/api-error.js';
import { silentLog } from '../kit/log/log.js';
import { joinInMemory } from '../kit/rpc/transport.js';
import { Scope } from '../proto/gen/cloudphone/api/v1/route_pb.js';
import { DeviceState, ExitType, Plan } from '../proto/gen/cloudphone/device/v1/device_pb.js';
import { DeviceService } from '../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { type Job, JobKind, JobState } from '../proto/gen/cloudphone/device/v1/job_pb.js';
import { JobService } from '../proto/gen/cloudphone/device/v1/job_service_pb.js';
import { PhoneService } from '../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { FakeDriver } from '../test/fake-driver.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../test/temporary-database.js';
import { createKeyText, keyDigest, keyPrefix } from './accounts/callers/key-text.js';
import { createDeviceService, type DeviceServiceInstance } from './service.js';
import type { DeviceDocument } from './store/device-document.js';
import { openStores } from './store/stores.js';
import { until } from '../testing/until.js';

describe('the device service', () => {
  let opened: TemporaryDatabase;
  let driver: FakeDriver;
  let service: DeviceServiceInstance;
  let key: string;

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    driver = new FakeDriver();
    service = await startService();
    key = (await service.createFirstAccount('owner@localhost'))?.apiKey ?? '';
  });

  afterEach(async () => {
    await service.close();
    await opened.close();
  });

  function startService(): Promise<DeviceServiceInstance> {
    return createDeviceService({
      clock: systemClock,
      log: silentLog,
      metrics: new Registry(),
      database: opened.database,
      drivers: [driver],
      hostId: 'host-1',
      meshToken: undefined,
    });
  }

  function as(keyText: string) {
    const transport = joinInMemory(service.rpc, undefined);
    const headers = { authorization: `Bearer ${keyText}` };
    const devices = createClient(DeviceService, transport);
    const jobs = createClient(JobService, transport);
    const phones = createClient(PhoneService, transport);
    return {
      create: (init: { name?: string; start?: boolean } = {}) =>
        devices.createDevice(
          { model: 'phone-720p', network: { type: ExitType.DIRECT, country: 'us' }, plan: Plan.MINUTE, ...init },
          { headers },
        ),
      get: async (name: string) => (await devices.getDevice({ name }, { headers })).device!,
      list: (query: { limit?: number; cursor?: string; state?: DeviceState } = {}) =>
        devices.listDevices(query, { headers }),
      start: async (name: string) => (await devices.startDevice({ name }, { headers })).job!,
      stop: async (name: string) => (await devices.stopDevice({ name }, { headers })).job!,
      restart: async (name: string) => (await devices.restartDevice({ name }, { headers })).job!,
      remove: async (name: string) => (await devices.deleteDevice({ name }, { headers })).job!,
      locate: (name: string, scope = Scope.READ) => phones.locatePhone({ name, scope }, { headers }),
      job: async (id: string, waitS = 10) => (await jobs.getJob({ id, waitS }, { headers })).job!,
      jobs: (query: { device?: string; state?: JobState; limit?: number; cursor?: string } = {}) =>
        jobs.listJobs(query, { headers }),
    };
  }

  async function refusal(call: Promise<unknown>): Promise<ApiError> {
    const error = await call.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error instanceof ApiError) return error;
    throw new Error(`expected a refusal, got ${String(error)}`);
  }

  async function created(init: { name: string; start?: boolean }): Promise<Job> {
    const { job } = await as(key).create(init);
    return as(key).job(job!.id);
  }

  async function addKey(devices: string[], scope: 'read' | 'control' = 'control', accountId?: string): Promise<string> {
    const stores = await openStores(opened.database, { clock: systemClock, log: silentLog });
    const text = createKeyText();
    const owner = accountId ?? (await stores.accounts.findByEmail('owner@localhost'))!._id;
    // This changes nothing where the account exists.
    await stores.accounts.insert({
      ...{ _id: owner, email: `${owner}@example.com`, passwordHash: '', createdAt: new Date() },
      trial: { state: 'unused' },
    });
    await stores.keys.insert({
      _id: `key_${text.slice(3, 12)}`,
      accountId: owner,
      name: 'test',
      scope,
      devices,
      digest: keyDigest(text),
      prefix: keyPrefix(text),
      createdAt: new Date(),
    });
    return text;
  }

  it('responds to those that wait for a job before it closes, with the job as it is', async () => {
    let open = (): void => undefined;
    driver.gate = new Promise((resolve) => (open = resolve));
    const { job } = await as(key).create({ name: 'slow' });
    const held = as(key).job(job!.id, 60);
    await until(async () => driver.calls.includes('start'));
    service.endWaits();
    expect(await held).to.include({ state: JobState.RUNNING });
    expect(await as(key).job(job!.id, 60)).to.include({ state: JobState.RUNNING });
    open();
  });

  it('creates a device and starts it, and shows both while it does', async () => {
    const { job, device } = await as(key).create({ name: 'one' });
    expect(job).to.include({ kind: JobKind.CREATE, state: JobState.RUNNING, device: 'one' });
    expect(device).to.include({ name: 'one', state: DeviceState.CREATING, job: job!.id, uptime: 0, minutesToday: 0 });

    const done = await as(key).job(job!.id);
    expect(done).to.include({ state: JobState.DONE, progress: 100 });
    const running = await as(key).get('one');
    expect(running).to.include({ state: DeviceState.RUNNING, minutesToday: 1 });
    expect(running.job).to.equal(undefined);
    expect(running.exit).to.include({ type: ExitType.DIRECT, country: 'us', timezone: 'America/New_York' });
  });

  it('makes up a name, and only creates when start is false', async () => {
    const { job, device } = await as(key).create({ start: false });
    expect(device!.name).to.match(/^phone-[a-z0-9]{6}$/);
    await as(key).job(job!.id);
    expect((await as(key).get(device!.name)).state).to.equal(DeviceState.STOPPED);
    expect(driver.calls).to.deep.equal(['create']);
  });

  it('stops, starts, restarts and deletes', async () => {
    await created({ name: 'one' });
    const states: DeviceState[] = [];
    for (const operation of ['stop', 'start', 'restart'] as const) {
      const job = await as(key)[operation]('one');
      expect((await as(key).job(job.id)).state).to.equal(JobState.DONE);
      states.push((await as(key).get('one')).state);
    }
    expect(states).to.deep.equal([DeviceState.STOPPED, DeviceState.RUNNING, DeviceState.RUNNING]);
    const job = await as(key).remove('one');
    expect((await as(key).job(job.id)).state).to.equal(JobState.DONE);
    expect((await refusal(as(key).get('one'))).kind).to.equal('not_found');
    expect(driver.phones.size).to.equal(0);
    await created({ name: 'one' });
  });

  it('responds with busy when the device is already so or another job is at work on it', async () => {
    await created({ name: 'one' });
    expect((await refusal(as(key).start('one'))).message).to.contain('running');
    let open = (): void => undefined;
    driver.gate = new Promise((resolve) => (open = resolve));
    const job = await as(key).restart('one');
    for (const operation of ['start', 'stop', 'restart', 'remove'] as const) {
      const error = await refusal(as(key)[operation]('one'));
      expect(error.kind).to.equal('busy');
      expect(error.message).to.contain(job.id);
    }
    open();
    await as(key).job(job.id);
    await as(key).job((await as(key).stop('one')).id);
    expect((await refusal(as(key).stop('one'))).message).to.contain('/start');
    expect((await refusal(as(key).restart('one'))).kind).to.equal('busy');
  });

  it('lets one of many operations at the same time win', async () => {
    await created({ name: 'one', start: false });
    const responses = await Promise.allSettled(Array.from({ length: 20 }, () => as(key).start('one')));
    expect(responses.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    expect(driver.calls.filter((call) => call === 'start').length).to.be.at.most(1);
  });

  it('leaves a job on a device of another host to that host', async () => {
    await created({ name: 'one' });
    const devices = opened.database.collection<DeviceDocument>('devices');
    await devices.updateOne({ name: 'one' }, { $set: { hostId: 'host-2' } });
    const { id } = await as(key).stop('one');
    const stored = await devices.findOne({ name: 'one' });
    expect(stored).to.include({ state: 'stopping' });
    expect(stored?.job).to.include({ id, kind: 'stop', progress: 0 });
    expect(driver.calls).not.to.include('stop');
    expect((await refusal(as(key).stop('one'))).message).to.contain(id);
  });

  it('takes a name only once, whichever request is faster', async () => {
    const responses = await Promise.allSettled(
      Array.from({ length: 10 }, () => as(key).create({ name: 'same', start: false })),
    );
    expect(responses.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    const error = await refusal(as(key).create({ name: 'same' }));
    expect(error).to.include({ kind: 'bad_request' });
    expect(error.message).to.contain('name: "same"');
  });

  it('reports why a boot failed, and starts the device again afterwards', async () => {
    driver.failure = 'The phone did not boot: it stopped at kernel.';
    const failed = await created({ name: 'one' });
    expect(failed.state).to.equal(JobState.FAILED);
    expect(failed.error).to.include({ error: 'unavailable', message: driver.failure });
    const device = await as(key).get('one');
    expect(device.state).to.equal(DeviceState.FAILED);
    expect(device.problem).to.include({ kind: 'create', message: driver.failure });
    driver.failure = undefined;
    await as(key).job((await as(key).start('one')).id);
    const recovered = await as(key).get('one');
    expect(recovered.state).to.equal(DeviceState.RUNNING);
    expect(recovered.problem).to.equal(undefined);
  });

  it('holds the response about a job until it ends or the time is up', async () => {
    let open = (): void => undefined;
    driver.gate = new Promise((resolve) => (open = resolve));
    const { job } = await as(key).create({ name: 'one' });
    expect((await as(key).job(job!.id, 0)).state).to.equal(JobState.RUNNING);
    const waiting = as(key).job(job!.id, 30);
    open();
    expect((await waiting).state).to.equal(JobState.DONE);
  });

  it('locates only running phones', async () => {
    await created({ name: 'one', start: false });
    const error = await refusal(as(key).locate('one'));
    expect(error.kind).to.equal('busy');
    expect(error.message).to.contain('POST /v1/devices/one/start');
    await as(key).job((await as(key).start('one')).id);
    expect(await as(key).locate('one')).to.include({ host: '127.0.0.1', generation: 1 });
  });

  it('pages through devices by name and through jobs newest first', async () => {
    for (const name of ['c', 'a', 'b']) await created({ name, start: false });
    const first = await as(key).list({ limit: 2 });
    expect(first.devices.map(({ name }) => name)).to.deep.equal(['a', 'b']);
    const second = await as(key).list({ limit: 2, cursor: first.nextCursor! });
    expect(second.devices.map(({ name }) => name)).to.deep.equal(['c']);
    expect(second.nextCursor).to.equal(undefined);

    const jobs = await as(key).jobs({ limit: 2 });
    expect(jobs.jobs.map(({ device }) => device)).to.deep.equal(['b', 'a']);
    const older = await as(key).jobs({ cursor: jobs.nextCursor! });
    expect(older.jobs.map(({ device }) => device)).to.deep.equal(['c']);
    expect((await as(key).jobs({ state: JobState.RUNNING })).jobs).to.deep.equal([]);
    expect((await as(key).jobs({ device: 'a' })).jobs).to.have.length(1);
    expect((await refusal(as(key).list({ cursor: 'nonsense!' }))).kind).to.equal('bad_request');
  });

  describe('to keys that may not see everything', () => {
    it('refuses a device off the list with forbidden and hides an unknown one', async () => {
      await created({ name: 'one', start: false });
      const other = await addKey(['two']);
      expect((await refusal(as(other).get('one'))).kind).to.equal('forbidden');
      expect((await refusal(as(other).get('three'))).kind).to.equal('not_found');
      expect((await as(other).list()).devices).to.deep.equal([]);
    });

    it('shows a device that the key made itself, and its jobs', async () => {
      const other = await addKey(['two']);
      const { job } = await as(other).create({ name: 'own', start: false });
      expect((await as(other).job(job!.id)).state).to.equal(JobState.DONE);
      expect((await as(other).list()).devices.map(({ name }) => name)).to.deep.equal(['own']);
    });

    it('hides jobs of devices off the list, and everything of another account', async () => {
      const job = await created({ name: 'one', start: false });
      const offList = await addKey(['two']);
      const foreign = await addKey(['*'], 'control', 'acc_other');
      for (const text of [offList, foreign]) {
        expect((await refusal(as(text).job(job.id, 0))).kind).to.equal('not_found');
        expect((await as(text).jobs()).jobs).to.deep.equal([]);
      }
      const [missing, hidden] = await Promise.all([
        refusal(as(foreign).get('nowhere')),
        refusal(as(foreign).get('one')),
      ]);
      expect(hidden.message.replace('one', 'nowhere')).to.equal(missing.message);
    });

    it('takes jobs on devices on the list and on own ones, and on no others', async () => {
      for (const name of ['one', 'two']) await created({ name });
      const other = await addKey(['two']);
      const foreign = await addKey(['*'], 'control', 'acc_other');
      await as(other).job((await as(other).create({ name: 'own' })).job!.id);
      for (const operation of ['start', 'stop', 'restart', 'remove'] as const) {
        expect((await refusal(as(other)[operation]('one'))).kind).to.equal('forbidden');
        expect((await refusal(as(other)[operation]('three'))).kind).to.equal('not_found');
        expect((await refusal(as(foreign)[operation]('one'))).kind).to.equal('not_found');
      }
      for (const name of ['two', 'own']) {
        const job = await as(other).stop(name);
        expect((await as(other).job(job.id)).state).to.equal(JobState.DONE);
        expect((await refusal(as(foreign).job(job.id))).kind).to.equal('not_found');
      }
      expect((await as(key).get('one')).state).to.equal(DeviceState.RUNNING);
    });

    it('lets a read key look and not touch', async () => {
      await created({ name: 'one', start: false });
      const reader = await addKey(['*'], 'read');
      expect((await as(reader).get('one')).name).to.equal('one');
      expect((await refusal(as(reader).start('one'))).kind).to.equal('forbidden');
      expect((await refusal(as('cp_wrong').get('one'))).kind).to.equal('unauthorized');
    });
  });

  describe('after a crash', () => {
    it('takes over a job that was under way and finishes it', async () => {
      driver.gate = new Promise(() => undefined);
      const { job } = await as(key).create({ name: 'one' });
      driver.gate = undefined;
      const crashed = service;
      service = await startService();
      expect((await as(key).job(job!.id)).state).to.equal(JobState.DONE);
      expect(await as(key).get('one')).to.include({ state: DeviceState.RUNNING });
      await crashed.close();
    });

    it('lets a worker that was replaced change nothing', async () => {
      let open = (): void => undefined;
      driver.gate = new Promise((resolve) => (open = resolve));
      const { job } = await as(key).create({ name: 'one' });
      const stalled = service;
      driver.gate = undefined;
      service = await startService();
      await as(key).job(job!.id);
      const before = await as(key).locate('one');
      open();
      await stalled.close();
      expect(await as(key).locate('one')).to.deep.equal(before);
    });

    it('keeps a phone that is still alive and brings back one that is not', async () => {
      await created({ name: 'alive' });
      await created({ name: 'dead' });
      await service.close();
      const { phoneId } = await locateStored('dead');
      driver.phones.set(phoneId, 'stopped');
      driver.calls.length = 0;
      service = await startService();
      await until(async () => (await as(key).jobs({ device: 'dead' })).jobs[0]!.kind === JobKind.START);
      const [job] = (await as(key).jobs({ device: 'dead' })).jobs;
      await as(key).job(job!.id);
      expect(await as(key).get('dead')).to.include({ state: DeviceState.RUNNING });
      expect(await as(key).get('alive')).to.include({ state: DeviceState.RUNNING });
      expect(driver.calls).to.deep.equal(['start']);
    });

    it('reports a phone that stopped by itself soon after its start', async () => {
      await created({ name: 'one' });
      const { phoneId } = await locateStored('one');
      driver.lose(phoneId, 'power loss');
      await until(async () => (await as(key).get('one')).state === DeviceState.FAILED);
      expect((await as(key).get('one')).problem).to.include({ kind: 'stopped_by_itself' });
    });

    async function locateStored(name: string): Promise<{ phoneId: string }> {
      const stores = await openStores(opened.database, { clock: systemClock, log: silentLog });
      const account = (await stores.accounts.findByEmail('owner@localhost'))!;
      return { phoneId: (await stores.devices.findByName(account._id, name))!._id };
    }
  });
});
