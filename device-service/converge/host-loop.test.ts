import { expect } from 'chai';
import { MongoNetworkError } from 'mongodb';
import { systemClock } from '../../kit/clock.js';
import { FakeClock, settled } from '../../testing/fake-clock.js';
import { silentLog } from '../../kit/log.js';
import { PhoneFailure } from '../../phone/driver.js';
import type { PhoneEndpoint, PhoneSpec, PhoneStatus, StartOptions } from '../../phone/driver.js';
import { FakeDriver } from '../../test/fake-driver.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../test/temporary-database.js';
import { isWork, transitions } from '../jobs/transitions.js';
import type { Worker, WorkTask } from '../jobs/worker.js';
import { JOB_LIMIT_MS, MOST_TAKEOVERS, ORPHAN_GRACE_MS, STEADY_RUN_MS, STEP_MS, SWEEP_MS } from '../limits.js';
import { PhoneDrivers } from '../phones/phone-drivers.js';
import type { DeviceDocument, Job, JobKindWord } from '../store/device-document.js';
import type { DeviceStore } from '../store/devices.js';
import { openStores } from '../store/stores.js';
import { deviceDocument, runningDocument } from '../../testing/device-document.js';
import type { EndedJob } from './do-job.js';
import { HostLoop } from './host-loop.js';

type Operation = 'create' | 'start' | 'stop' | 'delete' | 'inspect' | 'list';

/** Phones whose driver breaks off, or never returns, as a test orders. */
class FaultyDriver extends FakeDriver {
  /** How often each operation still breaks off. */
  readonly breaks = new Map<Operation, number>();
  /** Operations that do not return, whatever their signal says. */
  readonly hangs = new Set<Operation>();

  override async create(phone: PhoneSpec): Promise<void> {
    await super.create(phone);
    await this.#meet('create');
  }

  override async start(phoneId: string, options: StartOptions = {}): Promise<PhoneEndpoint> {
    if (this.hangs.has('start') || (this.breaks.get('start') ?? 0) > 0) this.calls.push('start');
    await this.#meet('start');
    if (!this.phones.has(phoneId)) throw new Error('there is no such phone');
    return super.start(phoneId, options);
  }

  override async stop(phoneId: string): Promise<void> {
    await this.#meet('stop');
    await super.stop(phoneId);
  }

  override async delete(phoneId: string): Promise<void> {
    await this.#meet('delete');
    await super.delete(phoneId);
  }

  override async inspect(phoneId: string): Promise<PhoneStatus> {
    await this.#meet('inspect');
    return super.inspect(phoneId);
  }

  override async list(): Promise<Map<string, PhoneStatus>> {
    await this.#meet('list');
    return super.list();
  }

  async #meet(operation: Operation): Promise<void> {
    if (this.hangs.has(operation)) await new Promise<never>(() => undefined);
    const left = this.breaks.get(operation) ?? 0;
    if (left === 0) return;
    this.breaks.set(operation, left - 1);
    throw new Error('the connection to the machine of the phones broke off');
  }
}

describe("the loop of a host's phones", () => {
  let opened: TemporaryDatabase;
  let stored: DeviceStore;
  let clock: FakeClock;
  let driver: FaultyDriver;
  let ended: EndedJob[];
  /** What was charged: which phone, up to when. */
  let charged: [string, number][];
  let loop: HostLoop;
  /** The database is not reached. */
  let away: boolean;
  /** Does the work of jobs on running phones. */
  let worker: Worker;
  /** Methods of the store whose next call is done, and its reply lost. */
  let lostReplies: Set<keyof DeviceStore>;

  before(async () => {
    opened = await openTemporaryDatabase();
    stored = (await openStores(opened.database, { clock: systemClock, log: silentLog })).devices;
  });

  after(() => opened.close());

  beforeEach(async () => {
    await opened.database.collection('devices').deleteMany({});
    clock = new FakeClock();
    driver = new FaultyDriver();
    ended = [];
    charged = [];
    away = false;
    worker = async () => ({});
    lostReplies = new Set();
    loop = open();
  });

  afterEach(async () => {
    const closed = loop.close(0);
    clock.turn(0);
    await closed;
  });

  function open(more: { epoch?: number; seenBefore?: Date } = {}): HostLoop {
    return new HostLoop({
      devices: faulty(stored),
      drivers: new PhoneDrivers([driver]),
      settle: async ({ _id }, endMs) => void charged.push([_id, endMs]),
      keepPayment: async () => undefined,
      workers: { install: (task) => worker(task), uninstall: (task) => worker(task) },
      hostId: 'host-1',
      epoch: more.epoch ?? 1,
      seenBefore: more.seenBefore,
      onEnded: (one) => ended.push(one),
      onHealthEvents: () => undefined,
      clock,
      log: silentLog,
    });
  }

  function faulty(devices: DeviceStore): DeviceStore {
    return new Proxy(devices, {
      get(target, name: keyof DeviceStore) {
        const method = Reflect.get(target, name) as (...given: unknown[]) => Promise<unknown>;
        return async (...given: unknown[]): Promise<unknown> => {
          if (away) throw new MongoNetworkError('the database is away');
          const result = await method.apply(target, given);
          if (lostReplies.delete(name)) throw new MongoNetworkError('the reply was lost');
          return result;
        };
      },
    });
  }

  function job(kind: JobKindWord, more: Partial<Job> = {}): Job {
    return { id: `job_${kind}`, kind, createdAt: new Date(clock.now()), progress: 0, ...more };
  }

  /** A new device with its create job at work. */
  async function creating(more: Partial<Job> = {}): Promise<DeviceDocument> {
    const device = deviceDocument({ state: 'creating', wanted: 'running', generation: 0, job: job('create', more) });
    delete device.made;
    await stored.insert(device);
    return device;
  }

  /** A device that has been running for `forMs`, and its phone. */
  async function running(more: Partial<DeviceDocument> = {}, forMs = STEADY_RUN_MS): Promise<DeviceDocument> {
    const phoneId = more._id ?? 'ph_1';
    driver.phones.set(phoneId, 'stopped');
    const endpoint = await FakeDriver.prototype.start.call(driver, phoneId);
    const device = runningDocument({ endpoint, startedAt: new Date(clock.now() - forMs), ...more });
    await stored.insert(device);
    driver.calls.length = 0;
    return device;
  }

  /** Accepts a job on the device as the service does, and begins it. */
  async function accept(device: DeviceDocument, kind: JobKindWord): Promise<void> {
    loop.begin((await claim(device, kind))!);
  }

  /** Accepts a job on the device, and begins it no more than a process that ends at once. */
  function claim(device: DeviceDocument, kind: JobKindWord): Promise<DeviceDocument | undefined> {
    const { meanwhile, wanted } = transitions[kind];
    const work = isWork(kind) ? { work: { kind: 'uninstall' as const, package: 'org.example.app' } } : {};
    return stored.claim(device._id, [device.state], job(kind, work), { state: meanwhile, wanted });
  }

  const read = async (phoneId = 'ph_1'): Promise<DeviceDocument> => (await stored.findById(phoneId))!;

  /** Turns the clock in steps of `stepMs` until it holds. */
  async function until(holds: () => boolean | Promise<boolean>, stepMs = 100): Promise<void> {
    for (let tries = 0; tries < 3_000; tries++) {
      if (await holds()) return;
      // Replies of the database come in real time.
      await new Promise((resolve) => setTimeout(resolve, 1));
      clock.turn(stepMs);
      await settled();
    }
    throw new Error('it never came to hold');
  }

  const hasEnded = (): boolean => ended.length > 0;
  const outcome = () => ended[0]?.job.outcome;

  it('does the job of a driver that breaks off five times', async () => {
    driver.breaks.set('start', 5);
    loop.begin(await creating());
    await until(hasEnded);
    expect(outcome()).to.include({ state: 'done' });
    expect(driver.calls).to.deep.equal(['create', 'start', 'start', 'start', 'start', 'start', 'start']);
    expect(await read()).to.include({ state: 'running', wanted: 'running', made: true, generation: 1 });
  });

  it('writes down how often a job was tried again, and why', async () => {
    driver.breaks.set('start', 1_000);
    loop.begin(await creating());
    await until(async () => ((await read()).job?.retries ?? 0) >= 3);
    expect((await read()).job?.lastError).to.contain('broke off');
  });

  it("fails a job at once on the phone's own final answer", async () => {
    driver.failure = 'the phone did not boot';
    loop.begin(await creating());
    await until(hasEnded, 0);
    expect(outcome()).to.deep.include({
      state: 'failed',
      error: { error: 'unavailable', message: 'the phone did not boot' },
    });
    expect(driver.calls).to.deep.equal(['create', 'start']);
    expect(await read()).to.include({ state: 'failed', wanted: 'stopped' });
    expect(await read()).not.to.have.any.keys('endpoint', 'startedAt', 'job');
  });

  describe('with a driver that hangs', () => {
    it('cuts each step at its limit, and fails the job at its own', async () => {
      driver.hangs.add('start');
      const beganMs = clock.monotonicMs();
      loop.begin(await creating());
      await until(() => driver.calls.includes('start'), 0);
      await until(() => driver.calls.length > 2, 1_000);
      expect(clock.monotonicMs() - beganMs).to.be.within(STEP_MS.start, STEP_MS.start + 60_000);
      await until(hasEnded, 1_000);
      expect(clock.monotonicMs() - beganMs).to.be.within(JOB_LIMIT_MS.create, JOB_LIMIT_MS.create + 60_000);
      expect(outcome()?.error).to.include({ error: 'timeout' });
      expect(outcome()?.error?.message).to.contain('within 600 s');
      expect(await read()).to.include({ state: 'failed', wanted: 'stopped', made: true });
      expect(charged).to.deep.equal([]);
    });

    it('stops a phone that came up after its job had failed', async () => {
      driver.hangs.add('start');
      await stored.insert(deviceDocument());
      driver.phones.set('ph_1', 'stopped');
      await loop.start();
      await accept(await read(), 'start');
      await until(hasEnded, 5_000);
      driver.phones.set('ph_1', 'running');
      await until(() => driver.phones.get('ph_1') === 'stopped', SWEEP_MS / 4);
      expect(await read()).to.include({ state: 'failed', wanted: 'stopped' });
    });

    it('takes a phone of which nothing is known for what is recorded, so that it stays reachable and charged', async () => {
      const device = await running();
      driver.hangs.add('stop').add('inspect');
      await accept(device, 'stop');
      await until(hasEnded, 1_000);
      expect(outcome()?.error).to.include({ error: 'timeout' });
      const now = await read();
      expect(now).to.include({ state: 'running', wanted: 'running', generation: device.generation });
      expect(now.endpoint).to.deep.equal(device.endpoint);
      expect(now.startedAt).to.deep.equal(device.startedAt);
      expect(now.problem).to.include({ kind: 'stop' });
    });

    it('goes on with a job that was left behind, though the phones cannot be listed', async () => {
      driver.hangs.add('list');
      await creating();
      void loop.start();
      await until(hasEnded);
      expect(outcome()).to.include({ state: 'done' });
    });
  });

  describe('with a job that ends its process', () => {
    it('does it once more after five of them', async () => {
      await creating({ takeovers: MOST_TAKEOVERS - 1 });
      loop = open({ epoch: 2 });
      await loop.start();
      await until(hasEnded);
      expect(outcome()).to.include({ state: 'done' });
    });

    it('gives it up after six, and does not touch the phone', async () => {
      await creating({ takeovers: MOST_TAKEOVERS });
      loop = open({ epoch: 2 });
      await loop.start();
      await until(hasEnded);
      expect(outcome()?.error).to.include({ error: 'internal' });
      expect(outcome()?.error?.message).to.contain('ended 6 times');
      expect(driver.calls).to.deep.equal([]);
      expect(await read()).to.include({ state: 'failed', wanted: 'stopped' });
    });
  });

  describe('with a phone that vanished', () => {
    it('reports data_lost, charges no further, and makes no empty phone', async () => {
      await running();
      await loop.start();
      driver.phones.delete('ph_1');
      await loop.sweep();
      await until(async () => (await read()).state === 'failed', 0);
      expect((await read()).problem).to.include({ kind: 'data_lost' });
      expect(await read())
        .to.include({ wanted: 'running' })
        .and.not.to.have.any.keys('endpoint', 'startedAt');
      expect(charged).to.deep.equal([['ph_1', clock.now()]]);
      await accept(await read(), 'start');
      await until(hasEnded);
      expect(outcome()?.error?.message).to.contain('data is not on its host');
      expect(driver.calls).not.to.include('create');
      expect((await read()).problem).to.include({ kind: 'data_lost' });
    });

    it('starts it again when it comes back', async () => {
      await running();
      await loop.start();
      driver.phones.delete('ph_1');
      await loop.sweep();
      await until(async () => (await read()).state === 'failed', 0);
      driver.phones.set('ph_1', 'stopped');
      await until(hasEnded, SWEEP_MS / 4);
      expect(outcome()).to.include({ state: 'done' });
      expect(await read())
        .to.include({ state: 'running' })
        .and.not.to.have.any.keys('problem');
    });

    it('deletes its device', async () => {
      const device = await running();
      driver.phones.delete('ph_1');
      await accept(device, 'delete');
      await until(hasEnded);
      expect(outcome()).to.include({ state: 'done' });
      expect(await read()).to.include({ gone: true });
    });
  });

  describe('with a phone that is another than recorded', () => {
    it('adopts one that was rebooted, with a new generation, and its run goes on', async () => {
      const device = await running();
      await loop.start();
      driver.phones.set('ph_1', 'stopped');
      const endpoint = await FakeDriver.prototype.start.call(driver, 'ph_1');
      // As when the relay or a screen reports it.
      loop.wake('ph_1');
      await until(async () => (await read()).generation === device.generation + 1, 0);
      const now = await read();
      expect(now.endpoint).to.deep.equal(endpoint).and.not.to.deep.equal(device.endpoint);
      expect(now.startedAt).to.deep.equal(device.startedAt);
      expect(charged).to.deep.equal([]);
    });

    it('gives up a wrong address', async () => {
      const wrong = { host: '127.0.0.1', port: 1, identity: 'OTHER/1' };
      const device = await running({ endpoint: wrong });
      await loop.start();
      await until(async () => (await read()).generation === device.generation + 1, 0);
      expect((await read()).endpoint?.identity).to.match(/^ph_1\//);
    });
  });

  it('repairs two phones that were lost while the database was away, charged only up to the loss', async () => {
    await running();
    await running({ _id: 'ph_2', name: 'two', nameKey: 'acc_1/two' }, STEADY_RUN_MS / 2);
    await loop.start();
    away = true;
    const lostMs = clock.now();
    driver.lose('ph_1', 'power loss');
    driver.lose('ph_2', 'power loss');
    let sinceMs = 0;
    await until(() => (sinceMs += 100) > 9_000);
    expect(loop.isDoubtful('ph_1') && loop.isDoubtful('ph_2')).to.equal(true);
    away = false;
    await until(async () => (await read('ph_1')).job === undefined && (await read('ph_2')).state === 'failed');
    expect(clock.now() - lostMs).to.be.greaterThan(9_000);
    expect(charged).to.have.deep.members([
      ['ph_1', lostMs],
      ['ph_2', lostMs],
    ]);
    await until(hasEnded);
    expect(await read('ph_1')).to.include({ state: 'running' });
    expect((await read('ph_2')).problem).to.include({ kind: 'stopped_by_itself' });
    expect(loop.isDoubtful('ph_1') || loop.isDoubtful('ph_2')).to.equal(false);
  });

  it('charges a run that ended with the last process up to then, though a stop was accepted later', async () => {
    const device = await running({}, 3_600_000);
    const seenBefore = new Date(clock.now() - 1_800_000);
    driver.phones.set(device._id, 'stopped');
    await stored.claim(device._id, ['running'], job('stop'), { state: 'stopping', wanted: 'stopped' });
    loop = open({ seenBefore });
    const started = loop.start();
    await until(() => ended.length === 1);
    await started;
    expect(charged).to.deep.equal([['ph_1', seenBefore.getTime()]]);
    expect(ended[0]!.job.outcome).to.include({ state: 'done' });
    expect(await read()).to.include({ state: 'stopped' });
  });

  it('does not charge, and brings back, what ended with the last process, though the first comparison failed', async () => {
    const seenBefore = new Date(clock.now() - 20_000);
    await running({}, 30_000);
    driver.phones.set('ph_1', 'stopped');
    driver.breaks.set('list', 1);
    loop = open({ epoch: 2, seenBefore });
    await loop.start();
    expect(loop.isDoubtful('ph_1')).to.equal(true);
    // As when another service reports it before the comparison is tried again.
    loop.wake('ph_1');
    await until(hasEnded, 0);
    expect(charged).to.deep.equal([['ph_1', seenBefore.getTime()]]);
    expect(await read()).to.include({ state: 'running' });
  });

  describe('with phones that belong to no device', () => {
    it('removes them after the grace time, and no others', async () => {
      await running();
      driver.phones.set('ph_orphan', 'running');
      await loop.start();
      await until(() => clock.monotonicMs() >= ORPHAN_GRACE_MS - SWEEP_MS, SWEEP_MS);
      expect(driver.phones.has('ph_orphan')).to.equal(true);
      await until(() => !driver.phones.has('ph_orphan'), SWEEP_MS);
      expect(clock.monotonicMs()).to.be.least(ORPHAN_GRACE_MS);
      expect(driver.phones.has('ph_1')).to.equal(true);
    });

    it('removes none while no device of the host is known', async () => {
      driver.phones.set('ph_orphan', 'running');
      await loop.start();
      for (let hours = 0; hours < 3; hours++) {
        clock.turn(ORPHAN_GRACE_MS);
        await loop.sweep();
      }
      expect(driver.phones.has('ph_orphan')).to.equal(true);
    });

    it('removes the others when one of them cannot be', async () => {
      await running();
      driver.phones.set('ph_orphan_1', 'stopped').set('ph_orphan_2', 'stopped');
      await loop.sweep();
      clock.turn(ORPHAN_GRACE_MS);
      driver.breaks.set('delete', 1);
      await loop.sweep();
      expect([...driver.phones.keys()]).to.deep.equal(['ph_1', 'ph_orphan_1']);
    });

    it('deletes the phone of a create that failed after it had made it', async () => {
      driver.breaks.set('create', 1_000);
      const device = await creating();
      loop.begin(device);
      driver.hangs.add('inspect');
      await until(hasEnded, 5_000);
      expect(outcome()).to.include({ state: 'failed' });
      driver.hangs.clear();
      await accept(await read(), 'delete');
      await until(() => ended.length === 2);
      expect(await read()).to.include({ gone: true });
      expect(driver.phones.size).to.equal(0);
    });
  });

  describe('with work on a running phone', () => {
    it('does it on the phone as it is now, and leaves the run as it was', async () => {
      const device = await running();
      const tasks: WorkTask[] = [];
      worker = async (task) => {
        tasks.push(task);
        task.onProgress(40);
        return { result: { package: 'org.example.app' }, change: { exit: { ...device.exit, address: '192.0.2.7' } } };
      };
      await accept(device, 'uninstall');
      await until(hasEnded, 0);
      expect(tasks.map(({ work, endpoint }) => ({ work, endpoint }))).to.deep.equal([
        { work: { kind: 'uninstall', package: 'org.example.app' }, endpoint: device.endpoint },
      ]);
      expect(ended[0]?.job).to.deep.include({ progress: 100 });
      expect(outcome()).to.deep.include({ state: 'done', result: { package: 'org.example.app' } });
      const now = await read();
      expect(now).to.include({ state: 'running', wanted: 'running', generation: device.generation });
      expect(now).to.deep.include({ endpoint: device.endpoint, startedAt: device.startedAt });
      expect(now.exit.address).to.equal('192.0.2.7');
      expect(now.finished?.[0]).not.to.have.any.keys('work', 'requestedBy');
      expect(charged).to.deep.equal([]);
    });

    it('does it again after an error, with the phone found anew', async () => {
      const device = await running();
      const found: string[] = [];
      worker = async ({ endpoint }) => {
        found.push(endpoint.identity);
        if (found.length > 2) return {};
        driver.phones.set('ph_1', 'stopped');
        await FakeDriver.prototype.start.call(driver, 'ph_1');
        throw new Error('the link broke off');
      };
      await accept(device, 'uninstall');
      await until(hasEnded);
      expect(outcome()).to.include({ state: 'done' });
      expect(found).to.deep.equal(['ph_1/1', 'ph_1/2', 'ph_1/3']);
      // Rebooted meanwhile: known once the job is over.
      await until(async () => (await read()).endpoint?.identity === 'ph_1/3');
      expect(await read()).to.include({ state: 'running', generation: device.generation + 1 });
    });

    it("fails on the phone's own final answer, and the device stays healthy", async () => {
      const device = await running();
      worker = async () => {
        throw new PhoneFailure('Failure [DELETE_FAILED_DEVICE_POLICY_MANAGER]');
      };
      await accept(device, 'uninstall');
      await until(hasEnded, 0);
      expect(outcome()).to.deep.include({
        state: 'failed',
        error: { error: 'unavailable', message: 'Failure [DELETE_FAILED_DEVICE_POLICY_MANAGER]' },
      });
      const now = await read();
      expect(now).to.include({ state: 'running', wanted: 'running', generation: device.generation });
      expect(now).not.to.have.any.keys('problem', 'job');
    });

    it('cuts work that does not end at the limit of the job, and the device stays healthy', async () => {
      const device = await running();
      let signal: AbortSignal | undefined;
      worker = (task) => {
        signal = task.signal;
        return new Promise(() => undefined);
      };
      await accept(device, 'uninstall');
      const beganMs = clock.monotonicMs();
      await until(hasEnded, 1_000);
      expect(clock.monotonicMs() - beganMs).to.be.within(JOB_LIMIT_MS.uninstall, JOB_LIMIT_MS.uninstall + 60_000);
      expect(signal?.aborted).to.equal(true);
      expect(outcome()?.error).to.include({ error: 'timeout' });
      expect(await read()).to.include({ state: 'running', generation: device.generation });
      expect((await read()).problem).to.equal(undefined);
    });

    it('fails where the phone has stopped, says so, and brings the phone back', async () => {
      const device = await running();
      await loop.start();
      worker = async () => {
        driver.lose('ph_1', 'power loss');
        throw new Error('the link broke off');
      };
      await accept(device, 'uninstall');
      await until(() => ended.length === 2);
      expect(ended.map(({ job: { kind, outcome: end } }) => [kind, end?.state])).to.deep.equal([
        ['uninstall', 'failed'],
        ['start', 'done'],
      ]);
      expect(outcome()?.error).to.include({ error: 'unavailable' });
      expect(outcome()?.error?.message).to.contain('stopped running before the uninstall was done');
      expect(await read()).to.include({ state: 'running', generation: device.generation + 1 });
      expect(charged).to.have.length(1);
    });

    it('is gone on with by the next process, where the phone went on running', async () => {
      await claim(await running(), 'uninstall');
      let calls = 0;
      worker = async () => (calls++, {});
      loop = open({ epoch: 2, seenBefore: new Date(clock.now() - 20_000) });
      await loop.start();
      await until(hasEnded);
      expect(outcome()).to.include({ state: 'done' });
      expect(calls).to.equal(1);
      expect(await read()).to.include({ state: 'running', generation: 1 });
      expect(charged).to.deep.equal([]);
    });

    it('fails after a crash that took the phone along, whose run is charged up to then, and brings it back', async () => {
      const seenBefore = new Date(clock.now() - 20_000);
      await claim(await running({}, 30_000), 'uninstall');
      driver.phones.set('ph_1', 'stopped');
      loop = open({ epoch: 2, seenBefore });
      await loop.start();
      await until(() => ended.length === 2);
      expect(ended.map(({ job: { kind, outcome: end } }) => [kind, end?.state])).to.deep.equal([
        ['uninstall', 'failed'],
        ['start', 'done'],
      ]);
      expect(charged).to.deep.equal([['ph_1', seenBefore.getTime()]]);
    });

    for (const method of ['findById', 'finish'] as const) {
      it(`ends once, though the reply to its ${method} was lost`, async () => {
        const device = await running();
        lostReplies.add(method);
        await accept(device, 'uninstall');
        await until(hasEnded);
        await until(() => loop.kinds.length === 0);
        expect(ended.map(({ job: { id } }) => id)).to.deep.equal(['job_uninstall']);
        expect((await read()).finished?.map(({ id }) => id)).to.deep.equal(['job_uninstall']);
        expect(await read()).to.include({ state: 'running', generation: device.generation });
      });
    }
  });

  describe('with a reply of the database that is lost', () => {
    for (const method of ['findById', 'change', 'finish', 'noteJob'] as const) {
      it(`does a restart once, its ${method} included`, async () => {
        const device = await running();
        lostReplies.add(method);
        await accept(device, 'restart');
        await until(hasEnded);
        await until(() => loop.kinds.length === 0);
        expect(ended.map(({ job: { id } }) => id)).to.deep.equal(['job_restart']);
        expect(outcome()).to.include({ state: 'done' });
        expect(driver.calls).to.deep.equal(['stop', 'start']);
        const now = await read();
        expect(now).to.include({ state: 'running', generation: device.generation + 1 });
        expect(now.finished?.map(({ id }) => id)).to.deep.equal(['job_restart']);
      });
    }

    it('starts a phone that stopped by itself once, though the claim of its job was not heard of', async () => {
      await running();
      await loop.start();
      lostReplies.add('claim');
      driver.lose('ph_1', 'power loss');
      await until(hasEnded);
      expect(driver.calls).to.deep.equal(['start']);
      expect((await read()).finished).to.have.length(1);
    });
  });
});
