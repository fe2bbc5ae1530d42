import { expect } from 'chai';
import { deviceDocument } from '../../../testing/device-document.js';
import { hostLoopWorld } from '../../../testing/host-loop-world.js';
import { JOB_LIMIT_MS, MAX_TAKEOVERS, STEP_MS } from '../limits.js';
import { SWEEP_MS } from '../../record/limits.js';

describe("the jobs of a host's loop", () => {
  const world = hostLoopWorld();

  it('does the job of a driver that breaks off five times', async () => {
    world.driver.breaks.set('start', 5);
    world.loop.begin(await world.creating());
    await world.until(world.hasEnded);
    expect(world.outcome()).to.include({ state: 'done' });
    expect(world.driver.calls).to.deep.equal(['create', 'start', 'start', 'start', 'start', 'start', 'start']);
    expect(await world.read()).to.include({ state: 'running', wanted: 'running', made: true, generation: 1 });
  });

  it('writes down how often a job was tried again, and why', async () => {
    world.driver.breaks.set('start', 1_000);
    world.loop.begin(await world.creating());
    await world.until(async () => ((await world.read()).job?.retries ?? 0) >= 3);
    expect((await world.read()).job?.lastError).to.contain('broke off');
  });

  it("fails a job at once on the phone's own final response", async () => {
    world.driver.failure = 'the phone did not boot';
    world.loop.begin(await world.creating());
    await world.until(world.hasEnded, 0);
    expect(world.outcome()).to.deep.include({
      state: 'failed',
      error: { error: 'unavailable', message: 'the phone did not boot' },
    });
    expect(world.driver.calls).to.deep.equal(['create', 'start']);
    expect(await world.read()).to.include({ state: 'failed', wanted: 'stopped' });
    expect(await world.read()).not.to.have.any.keys('endpoint', 'startedAt', 'job');
  });

  for (const kind of ['stop', 'restart', 'delete'] as const) {
    it(`does a ${kind} though the database is away for 20 s in its middle, soon after its return and once`, async () => {
      const device = await world.running();
      await world.accept(device, kind);
      world.away = true;
      const goneMs = world.clock.monotonicMs();
      await world.until(() => world.clock.monotonicMs() - goneMs >= 20_000);
      expect(world.ended).to.deep.equal([]);
      world.away = false;
      // The steps are small, because the database's replies come in real time, which a busy machine has little of.
      await world.until(world.hasEnded, 2);
      expect(world.clock.monotonicMs() - goneMs).to.be.lessThan(22_000);
      expect(world.outcome()).to.include({ state: 'done' });
      const phones = { stop: ['stopped'], restart: ['running'], delete: [] }[kind];
      expect([...world.driver.phones.values()]).to.deep.equal(phones);
      expect((await world.read()).finished).to.have.length(1);
      for (const operation of ['start', 'stop', 'delete']) {
        expect(world.driver.calls.filter((call) => call === operation).length, operation).to.be.at.most(1);
      }
    });
  }

  describe('with a driver that hangs', () => {
    it('cuts each step at its limit, and fails the job at its own', async () => {
      world.driver.hangs.add('start');
      const beganMs = world.clock.monotonicMs();
      world.loop.begin(await world.creating());
      await world.until(() => world.driver.calls.includes('start'), 0);
      await world.until(() => world.driver.calls.length > 2, 1_000);
      expect(world.clock.monotonicMs() - beganMs).to.be.within(STEP_MS.start, STEP_MS.start + 60_000);
      await world.until(world.hasEnded, 1_000);
      expect(world.clock.monotonicMs() - beganMs).to.be.within(JOB_LIMIT_MS.create, JOB_LIMIT_MS.create + 60_000);
      expect(world.outcome()?.error).to.include({ error: 'timeout' });
      expect(world.outcome()?.error?.message).to.contain('within 600 s');
      expect(await world.read()).to.include({ state: 'failed', wanted: 'stopped', made: true });
      expect(world.charged).to.deep.equal([]);
    });

    it('stops a phone that came up after its job had failed', async () => {
      world.driver.hangs.add('start');
      await world.stored.insert(deviceDocument());
      world.driver.phones.set('ph_1', 'stopped');
      await world.loop.start();
      await world.accept(await world.read(), 'start');
      await world.until(world.hasEnded, 5_000);
      world.driver.phones.set('ph_1', 'running');
      await world.until(() => world.driver.phones.get('ph_1') === 'stopped', SWEEP_MS / 4);
      expect(await world.read()).to.include({ state: 'failed', wanted: 'stopped' });
    });

    it('takes a phone of unknown state for the recorded one, so that it stays reachable and charged', async () => {
      const device = await world.running();
      world.driver.hangs.add('stop').add('inspect');
      await world.accept(device, 'stop');
      await world.until(world.hasEnded, 1_000);
      expect(world.outcome()?.error).to.include({ error: 'timeout' });
      const now = await world.read();
      expect(now).to.include({ state: 'running', wanted: 'running', generation: device.generation });
      expect(now.endpoint).to.deep.equal(device.endpoint);
      expect(now.startedAt).to.deep.equal(device.startedAt);
      expect(now.problem).to.include({ kind: 'stop' });
    });

    it('goes on with a job that was left behind, though the phones cannot be listed', async () => {
      world.driver.hangs.add('list');
      await world.creating();
      void world.loop.start();
      await world.until(world.hasEnded);
      expect(world.outcome()).to.include({ state: 'done' });
    });
  });

  describe('with a job that ends its process', () => {
    it('does it once more after five of them', async () => {
      await world.creating({ takeovers: MAX_TAKEOVERS - 1 });
      world.loop = world.open({ epoch: 2 });
      await world.loop.start();
      await world.until(world.hasEnded);
      expect(world.outcome()).to.include({ state: 'done' });
    });

    it('gives it up after six, and does not touch the phone', async () => {
      await world.creating({ takeovers: MAX_TAKEOVERS });
      world.loop = world.open({ epoch: 2 });
      await world.loop.start();
      await world.until(world.hasEnded);
      expect(world.outcome()?.error).to.include({ error: 'internal' });
      expect(world.outcome()?.error?.message).to.contain('ended 6 times');
      expect(world.driver.calls).to.deep.equal([]);
      expect(await world.read()).to.include({ state: 'failed', wanted: 'stopped' });
    });
  });

  describe('with a reply of the database that is lost', () => {
    for (const method of ['findById', 'change', 'finish', 'noteJob'] as const) {
      it(`does a restart once, its ${method} included`, async () => {
        const device = await world.running();
        world.lostReplies.add(method);
        await world.accept(device, 'restart');
        await world.until(world.hasEnded);
        await world.until(() => world.loop.kinds.length === 0);
        expect(world.ended.map(({ job: { id } }) => id)).to.deep.equal(['job_restart']);
        expect(world.outcome()).to.include({ state: 'done' });
        expect(world.driver.calls).to.deep.equal(['stop', 'start']);
        const now = await world.read();
        expect(now).to.include({ state: 'running', generation: device.generation + 1 });
        expect(now.finished?.map(({ id }) => id)).to.deep.equal(['job_restart']);
      });
    }

    it('starts a phone that stopped by itself once, though the claim of its job was not heard of', async () => {
      await world.running();
      await world.loop.start();
      world.lostReplies.add('claim');
      world.driver.lose('ph_1', 'power loss');
      await world.until(world.hasEnded);
      expect(world.driver.calls).to.deep.equal(['start']);
      expect((await world.read()).finished).to.have.length(1);
    });
  });
});
