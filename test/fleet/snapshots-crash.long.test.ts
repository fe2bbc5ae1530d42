import { expect } from 'chai';
import { MongoNetworkError } from 'mongodb';
import { JobState } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import { SnapshotState } from '../../proto/gen/cloudphone/device/v1/snapshot_pb.js';
import { Plan } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { PhoneFailure } from '../../phone/driver.js';
import { settled } from '../../testing/fake-clock.js';
import { until } from '../../testing/until.js';
import { type Customer, ServiceWorld } from '../billing/service-world.js';

describe('snapshots whose service is killed, or whose driver fails', function () {
  let world: ServiceWorld;
  let customer: Customer;

  beforeEach(async () => {
    world = await ServiceWorld.open();
    customer = await world.customer('fleet@example.com');
    await customer.credit('100');
    await customer.create({ name: 'a' });
    await world.idle();
  });

  afterEach(() => world.close());

  const options = () => ({ headers: customer.headers });
  const take = async (name = 'a') => {
    const { job, snapshot } = await customer.snapshots().createSnapshot({ name }, options());
    return { jobId: job!.id, id: snapshot!.id };
  };
  const restore = async (id: string) =>
    (await customer.snapshots().restoreSnapshot({ name: 'a', id }, options())).job!.id;
  const clone = async (id: string, more: { name?: string; plan?: Plan; idempotencyKey?: string } = {}) =>
    customer.snapshots().cloneSnapshot({ device: 'a', id, ...more }, options());
  const remove = (id: string) => customer.snapshots().deleteSnapshot({ name: 'a', id }, options());
  const list = async () => (await customer.snapshots().listSnapshots({ name: 'a' }, options())).snapshots;
  const state = async () => {
    const device = await customer.get('a');
    return [device.state, device.problem?.kind];
  };
  const failureOf = (work: Promise<unknown>): Promise<{ kind?: string; message?: string }> =>
    work.then(
      () => ({}),
      (error: unknown) => error as Error,
    );

  /** Turns the clock until the job has ended. */
  async function ended(jobId: string) {
    for (let turns = 0; turns < 3_000; turns++) {
      const job = await customer.getJob(jobId);
      if (job.state !== JobState.RUNNING) return job;
      world.clock.turn(1_000);
      await settled();
    }
    throw new Error('the job does not end');
  }

  /** Turns the clock until it holds. Calls to the database take real time, so one is made at each turn. */
  async function turnUntil(holds: () => boolean | Promise<boolean>, turnMs = 30_000): Promise<void> {
    for (let turns = 0; turns < 1_000; turns++) {
      if (await holds()) return;
      world.clock.turn(turnMs);
      await list();
    }
    throw new Error('it never came to hold');
  }

  /** Kills the service after so many calls of its to the database, and starts it again. */
  async function killAfter(calls: number): Promise<void> {
    world.dieAfter(calls);
    for (let turns = 0; turns < 20; turns++) await settled();
    world.kill();
    await world.begin();
  }

  async function saved(): Promise<string> {
    const { id, jobId } = await take();
    expect((await ended(jobId)).state).to.equal(JobState.DONE);
    return id;
  }

  it('are saved all the same, wherever a kill comes', async () => {
    for (let calls = 0; calls < 12; calls++) {
      const { id, jobId } = await take();
      await killAfter(calls);
      expect(await ended(jobId), `killed after ${calls} calls`).to.include({ state: JobState.DONE, progress: 100 });
      const snapshot = (await list()).find((one) => one.id === id);
      expect(snapshot).to.deep.include({ id, state: SnapshotState.READY, size: 1_000, checksum: 'ab'.repeat(32) });
      expect(world.driver.kept.has(id)).to.equal(true);
    }
    expect(await list()).to.have.length(12);
    await world.idle();
    expect(await customer.get('a')).to.include({ state: 4 });
  });

  it('are restored all the same, wherever a kill comes, each time with the phone off', async () => {
    const id = await saved();
    for (let calls = 0; calls < 24; calls += 2) {
      const jobId = await restore(id);
      world.driver.calls.length = 0;
      await killAfter(calls);
      expect(await ended(jobId), `killed after ${calls} calls`).to.deep.include({ state: JobState.DONE, kind: 11 });
      await world.idle();
      expect(await customer.get('a')).to.include({ state: 4 });
      // A phone that was started from the restored files is never put back once more.
      const started = world.driver.calls.indexOf('start');
      expect(world.driver.calls.lastIndexOf('restore')).to.be.lessThan(started === -1 ? Infinity : started);
    }
  });

  it('are cloned once, and paid for once, wherever a kill comes', async () => {
    await customer.credit('1000');
    const id = await saved();
    const key = { idempotencyKey: 'again' };
    for (let calls = 0; calls < 24; calls += 2) {
      const name = `clone-${calls}`;
      const more = { name, plan: Plan.MONTH, idempotencyKey: `${key.idempotencyKey} ${calls}` };
      world.dieAfter(calls);
      const first = clone(id, more).catch(() => undefined);
      for (let turns = 0; turns < 20; turns++) await settled();
      world.kill();
      await Promise.race([first, settled()]);
      await world.begin();
      for (let turns = 0; turns < 5; turns++) await settled();
      // The try of the killed process has its time.
      world.clock.turn(5_000);
      const { job, device } = await clone(id, more);
      expect(device?.name).to.equal(name);
      const done = await ended(job!.id);
      expect(done, `killed after ${calls} calls`).to.include({ state: JobState.DONE });
      expect(done.result).to.deep.include({ snapshot: id });
      expect(done.result?.identity?.exit?.country).to.equal('us');
    }
    await world.idle();
    const months = (await customer.ledger()).filter(({ kind }) => kind === 'month');
    expect(months).to.have.length(12);
    expect(new Set([...world.driver.phones.keys()]).size).to.equal(13);
  });

  it('are deleted with their files, wherever a kill comes', async () => {
    for (let calls = 0; calls < 8; calls++) {
      const id = await saved();
      world.dieAfter(calls);
      void remove(id).catch(() => undefined);
      for (let turns = 0; turns < 20; turns++) await settled();
      world.kill();
      await world.begin();
      // A delete that was not accepted is sent again; one that was, is ended by the sweep.
      const again = await failureOf(remove(id));
      expect([undefined, 'not_found']).to.include(again.kind);
      await turnUntil(async () => (await world.stores.snapshots.find(id)) === null);
      expect(world.driver.kept.has(id), `killed after ${calls} calls`).to.equal(false);
    }
  });

  it('go with their device, wherever a kill comes, and clones of them stay', async () => {
    const kept = await saved();
    const { job } = await clone(kept, { name: 'stays' });
    await ended(job!.id);
    for (let calls = 0; calls < 20; calls += 2) {
      const id = await saved();
      const deleting = (await customer.remove('a')).job!.id;
      await killAfter(calls);
      expect(await ended(deleting), `killed after ${calls} calls`).to.include({ state: JobState.DONE });
      expect(world.driver.kept.has(id)).to.equal(false);
      expect(await world.stores.snapshots.find(id)).to.equal(null);
      await customer.create({ name: 'a' });
      await world.idle();
      expect(await list()).to.deep.equal([]);
    }
    expect(await customer.get('stays')).to.include({ state: 4 });
  });

  it('that cannot be saved fail, with the reason, and hold nothing', async () => {
    world.driver.snapshotFailure = new PhoneFailure("There is no room left on the phone's host.");
    const { id, jobId } = await take();
    await until(() => world.driver.calls.includes('take'));
    world.driver.snapshotFailure = undefined;
    expect((await ended(jobId)).error).to.deep.include({ error: 'unavailable', message: "There is no room left on the phone's host." }); // prettier-ignore
    expect((await list())[0]).to.include({ id, state: SnapshotState.FAILED, size: 0 });
    expect((await failureOf(restore(id))).message).to.contain('failed, so there is nothing in it');
    expect((await failureOf(clone(id))).kind).to.equal('bad_request');
    expect(await state()).to.deep.equal([4, undefined]);
    await remove(id);
    expect(await list()).to.deep.equal([]);
  });

  it('that cannot be saved fail, though their files cannot be removed either, and these go later', async () => {
    world.driver.snapshotFailure = new PhoneFailure('The disk responds with errors.');
    const { id, jobId } = await take();
    expect((await ended(jobId)).error?.message).to.equal('The disk responds with errors.');
    expect(await state()).to.deep.equal([4, undefined]);
    expect((await list())[0]).to.include({ id, state: SnapshotState.FAILED });
    world.driver.snapshotFailure = undefined;
    world.driver.kept.set(id, 'ph_1');
    await turnUntil(() => !world.driver.kept.has(id));
    expect((await list())[0]).to.include({ id, state: SnapshotState.FAILED });
  });

  it('are saved once a driver that breaks off works again, and while the database comes and goes', async () => {
    world.driver.snapshotFailure = new Error('the connection to the machine of the phones broke off');
    const { id, jobId } = await take();
    for (let turns = 0; turns < 20; turns++) {
      world.clock.turn(500);
      await settled();
    }
    expect((await customer.getJob(jobId)).state).to.equal(JobState.RUNNING);
    world.driver.snapshotFailure = new MongoNetworkError('the database is away');
    for (let turns = 0; turns < 20; turns++) {
      world.clock.turn(500);
      await settled();
    }
    world.driver.snapshotFailure = undefined;
    expect((await ended(jobId)).state).to.equal(JobState.DONE);
    expect((await list())[0]).to.include({ id, state: SnapshotState.READY });
  });

  it('that are damaged are not restored: the phone runs on as it was', async () => {
    const id = await saved();
    const before = await customer.get('a');
    const endpoint = (await world.stores.devices.listAll(1))[0]?.endpoint;
    world.driver.kept.delete(id);
    world.driver.calls.length = 0;
    const job = await ended(await restore(id));
    expect(job).to.include({ state: JobState.FAILED });
    expect(job.error?.message).to.equal('The files of the snapshot are lost.');
    expect(world.driver.calls).to.deep.equal(['check']);
    const after = await customer.get('a');
    expect([after.state, after.problem]).to.deep.equal([4, undefined]);
    expect(after.createdAt).to.deep.equal(before.createdAt);
    expect((await world.stores.devices.listAll(1))[0]?.endpoint).to.deep.equal(endpoint);
    // A device that was off stays off, and is not charged.
    await customer.stop('a');
    await world.idle();
    await ended(await restore(id));
    expect(await state()).to.deep.equal([2, undefined]);
  });

  it('that are damaged are not cloned, and no start makes an empty phone in place of the clone', async () => {
    const id = await saved();
    world.driver.kept.delete(id);
    const { job } = await clone(id, { name: 'copy' });
    expect((await ended(job!.id)).error?.message).to.equal('The files of the snapshot are lost.');
    world.driver.calls.length = 0;
    await customer.start('copy');
    await world.idle();
    expect(world.driver.calls).to.not.include('create');
    const device = await customer.get('copy');
    expect([device.state, device.problem?.kind]).to.deep.equal([7, 'create']);
    expect(device.problem?.message).to.contain('DELETE /v1/devices/copy');
  });

  it('whose phone does not come up again fail the job, and the device’s problem describes its state', async () => {
    const id = await saved();
    world.driver.failure = 'The phone did not boot: it stopped at system.';
    const job = await ended(await restore(id));
    expect(job.error?.message).to.equal('The phone did not boot: it stopped at system.');
    const device = await customer.get('a');
    expect([device.state, device.problem?.kind]).to.deep.equal([7, 'restore']);
    world.driver.failure = undefined;
    expect(await ended(await restore(id))).to.include({ state: JobState.DONE });
    expect(await state()).to.deep.equal([4, undefined]);
  });

  it('are restored, and cloned, only where a minute of running can be paid for', async () => {
    const id = await saved();
    await customer.stop('a');
    await world.idle();
    const { balance } = await customer.account();
    for (let left = Number(balance); left >= 12; left -= 12) await customer.create({ plan: Plan.MONTH, start: false });
    await world.idle();
    while (Number((await customer.account()).balance) > 0) {
      await customer.start('a');
      await world.pass(60_000 * 60 * 12);
      await customer.stop('a').catch(() => undefined); // it was stopped when the balance ended
      await world.idle();
    }
    expect((await failureOf(restore(id))).kind).to.equal('insufficient_funds');
    expect((await failureOf(clone(id))).kind).to.equal('insufficient_funds');
    expect(await customer.get('a'))
      .to.have.property('state')
      .that.is.oneOf([2, 7]);
    // Saving costs nothing.
    await saved();
  });

  it('are refused where phones cannot be saved, or not while they run', async () => {
    const canSave = async (saves: typeof world.driver.saves): Promise<void> => {
      world.driver.saves = saves;
      // In small turns, as a host may take only five seconds to measure itself.
      await turnUntil(async () => (await world.stores.hosts.find('host-1'))?.drivers[0]?.snapshots === saves, 500);
    };
    await canSave('none');
    const refused = await failureOf(take());
    expect(refused).to.include({ kind: 'bad_request' });
    expect(refused.message).to.contain('phones of model "phone-720p" keep none');
    await canSave('stopped');
    expect((await failureOf(take())).message).to.contain('Call POST /v1/devices/a/stop first');
    await customer.stop('a');
    await world.idle();
    await saved();
  });

  it('in use are not deleted, and say by which job', async () => {
    const id = await saved();
    let open = (): void => undefined;
    world.driver.gate = new Promise((resolve) => (open = resolve));
    const { job } = await clone(id, { name: 'b' });
    const refused = await failureOf(remove(id));
    expect(refused).to.include({ kind: 'busy' });
    expect(refused.message).to.contain(`being cloned. Wait for the job: GET /v1/jobs/${job!.id}`);
    open();
    world.driver.gate = undefined;
    await ended(job!.id);
    await remove(id);
    expect(world.driver.kept.size).to.equal(0);
  });

  it('on which a job died without a trace fail at the next sweep, and files without a snapshot go after their grace time', async () => {
    const id = await saved();
    const snapshot = (await world.stores.snapshots.find(id))!;
    await world.stores.snapshots.begin({ ...snapshot, _id: 'snap_left', state: 'saving', jobId: 'job_gone' });
    world.driver.kept.set('snap_left', 'ph').set('snap_nobody', 'ph');
    await turnUntil(() => !world.driver.kept.has('snap_left'));
    expect(world.driver.kept.has('snap_nobody')).to.equal(true);
    const sinceMs = world.clock.now();
    await turnUntil(() => !world.driver.kept.has('snap_nobody'));
    expect(world.clock.now() - sinceMs).to.be.within(3_400_000, 4_000_000);
    expect([...world.driver.kept.keys()]).to.deep.equal([id]);
    expect((await world.stores.snapshots.find('snap_left'))?.state).to.equal('failed');
  });
});
