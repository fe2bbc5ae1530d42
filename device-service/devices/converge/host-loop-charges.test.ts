import { expect } from 'chai';
import { deviceDocument } from '../../../testing/device-document.js';
import { hostLoopWorld } from '../../../testing/host-loop-world.js';
import { JOB_LIMIT_MS, MAX_LATE_RETRY_MS, MAX_BOOKKEEPING_TRIES, MAX_RETRY_MS } from '../limits.js';
import { transitions } from '../../record/transitions.js';
import type { DeviceStore } from '../../store/devices.js';

/* Every failure here is permanent, with the database in reach: the device must not be busy for ever. */

describe('the charges of a device', () => {
  const world = hostLoopWorld();
  let tries: number;
  beforeEach(() => (tries = 0));

  const neverWorks = (): Promise<never> => Promise.reject(new Error(`never works: ${++tries}`));
  const problem = async (): Promise<string | undefined> => (await world.read()).problem?.kind;

  /** A number of tries that growing pauses leave no room for, up to the job's limit and the try that ends it. */
  const mostTries = (kind: keyof typeof JOB_LIMIT_MS): number => JOB_LIMIT_MS[kind] / MAX_RETRY_MS + 10;

  it('are left without a charge that always fails, so that the job that ends the run is done', async () => {
    world.settle = neverWorks;
    await world.accept(await world.running(), 'stop');
    await world.until(world.hasEnded);
    expect(tries).to.equal(MAX_BOOKKEEPING_TRIES);
    expect(world.outcome()).to.include({ state: 'done' });
    expect(await world.read()).to.include({ state: 'stopped' });
    expect(await problem()).to.equal('bookkeeping');
  });

  it('are left without the charge of a run that ended by itself, and the phone is started again', async () => {
    world.settle = neverWorks;
    await world.running();
    await world.loop.start();
    world.driver.lose('ph_1', 'power loss');
    await world.until(world.hasEnded);
    expect(tries).to.equal(MAX_BOOKKEEPING_TRIES);
    const { state, deviceEvents } = await world.read();
    expect(state).to.equal('running');
    const health = deviceEvents?.flatMap((event) => ('problem' in event ? event : []));
    expect(health?.map(({ type, problem }) => [type, problem.kind])).to.deep.equal([
      ['health.problem', 'bookkeeping'],
      ['health.resolved', 'bookkeeping'],
    ]);
  });

  it('are completed once that works, which ends the problem', async () => {
    const { settle } = world;
    world.settle = neverWorks;
    const { startedAt } = await world.running();
    await world.loop.start();
    await world.accept(await world.read(), 'stop');
    await world.until(world.hasEnded);
    const { unbooked = [] } = await world.read();
    const triedUpTo = tries;
    await world.until(async () => tries > triedUpTo + 1, 1_000);
    expect(await problem()).to.equal('bookkeeping');
    world.settle = async (device, endMs) => {
      expect(device.startedAt).to.deep.equal(startedAt);
      await settle(device, endMs);
    };
    await world.until(async () => (await problem()) === undefined, 1_000);
    expect(world.charged).to.deep.equal([['ph_1', unbooked[0]?.endedAt?.getTime()]]);
    const device = await world.read();
    expect(device).not.to.have.property('unbooked');
    expect(device.deviceEvents?.at(-1)).to.deep.include({ type: 'health.resolved' });
    // The bookkeeping is not tried again.
    const at = world.clock.monotonicMs();
    await world.until(() => world.clock.monotonicMs() > at + 2 * MAX_LATE_RETRY_MS, 10_000);
    expect(world.charged).to.have.length(1);
  });

  it('that are late leave the hold of a phone that runs again', async () => {
    world.release = neverWorks;
    await world.running();
    await world.loop.start();
    await world.accept(await world.read(), 'stop');
    await world.until(world.hasEnded);
    await world.accept(await world.read(), 'start');
    await world.until(() => world.ended.length === 2);
    const triedUpTo = tries;
    await world.until(async () => !('unbooked' in (await world.read())), 1_000);
    expect(tries).to.equal(triedUpTo);
  });

  it('keep a hold whose release always fails, so that the job that failed ends', async () => {
    world.release = neverWorks;
    world.driver.failure = 'the phone did not boot';
    world.loop.begin(await world.creating());
    await world.until(world.hasEnded);
    expect(tries).to.equal(MAX_BOOKKEEPING_TRIES);
    expect(world.outcome()).to.include({ state: 'failed' });
    expect(await problem()).to.equal('bookkeeping');
  });

  it('keep a snapshot that was not saved and whose record always fails, so that the job that was to save it ends', async () => {
    world.workFailed = neverWorks;
    const device = await world.running();
    world.driver.lose('ph_1', 'power loss');
    const work = { kind: 'snapshot' as const, snapshotId: 'snap_1', label: '' };
    const job = world.job('snapshot', { work });
    await world.stored.claims.byId(device._id, [device.state], job, {});
    world.loop.wake(device._id);
    await world.until(() => world.ended.some(({ job: { kind } }) => kind === 'snapshot'));
    expect(tries).to.equal(MAX_BOOKKEEPING_TRIES);
    expect(world.outcome()).to.include({ state: 'failed' });
  });

  describe('of a job whose end the database always refuses', () => {
    for (const [kind, left] of [
      ['stop', 'stop'],
      ['uninstall', undefined],
    ] as const) {
      it(`have a ${kind} that is tried less and less often, with a problem, and ends once that is possible`, async () => {
        const finish = world.stored.finish.bind(world.stored);
        world.stored.finish = neverWorks;
        try {
          await world.accept(await world.running(), kind);
          await world.until(async () => (await problem()) === 'job_end', 5_000);
          const [triedUpTo, sinceMs] = [tries, world.clock.monotonicMs()];
          await world.until(() => world.clock.monotonicMs() > sinceMs + 12 * MAX_LATE_RETRY_MS, 5_000);
          // The pauses get longer and longer, up to ten minutes.
          expect(tries - triedUpTo).to.be.within(8, 18);
          expect(await world.read()).to.have.property('job');
        } finally {
          world.stored.finish = finish;
        }
        await world.until(world.hasEnded, 5_000);
        expect(world.outcome()).to.include({ state: 'failed' });
        expect(await problem()).to.equal(left);
      });
    }
  });

  describe('with last work of a job that always fails', () => {
    it('have a delete that failed at its limit, and one that is done once the work is', async () => {
      world.finish = neverWorks;
      await world.accept(await world.running(), 'delete');
      await world.until(world.hasEnded, 1_000);
      expect(world.outcome()?.error).to.include({ error: 'timeout' });
      expect(tries).to.be.within(2, mostTries('delete'));
      expect(await problem()).to.equal('delete');
      const triedUpTo = tries;
      await world.until(() => world.clock.monotonicMs() > 2 * JOB_LIMIT_MS.delete, 5_000);
      expect(tries).to.equal(triedUpTo);
      world.finish = async () => undefined;
      world.ended = [];
      await world.accept(await world.read(), 'delete');
      await world.until(world.hasEnded);
      expect(world.outcome()).to.include({ state: 'done' });
    });

    it('have a restore that failed at its limit, with a phone that runs', async () => {
      world.finish = neverWorks;
      await world.stored.insert(deviceDocument());
      world.driver.phones.set('ph_1', 'stopped');
      world.driver.kept.set('snap_1', 'ph_1');
      const job = world.job('restore', { snapshot: 'snap_1' });
      world.loop.begin((await world.stored.claims.byId('ph_1', ['stopped'], job, transitions.restore.change!))!);
      await world.until(world.hasEnded, 1_000);
      expect(world.outcome()?.error).to.include({ error: 'timeout' });
      expect(tries).to.be.within(2, mostTries('restore'));
      expect(await world.read()).to.include({ state: 'running', wanted: 'running' });
      expect(await problem()).to.equal('restore');
    });

    it('have a job that failed where its result is one that the database refuses', async () => {
      const finish = world.stored.finish.bind(world.stored);
      const refusing: DeviceStore['finish'] = (device, job, change) =>
        job.outcome?.state === 'done' ? neverWorks() : finish(device, job, change);
      world.stored.finish = refusing;
      try {
        await world.accept(await world.running(), 'uninstall');
        await world.until(world.hasEnded, 1_000);
      } finally {
        world.stored.finish = finish;
      }
      expect(world.outcome()?.error).to.include({ error: 'timeout' });
      expect(tries).to.be.within(2, mostTries('uninstall'));
      expect(await world.read()).to.include({ state: 'running' });
      expect(await world.read()).not.to.have.property('job');
    });
  });
});
