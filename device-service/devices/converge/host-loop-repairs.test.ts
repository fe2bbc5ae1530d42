import { expect } from 'chai';
import { FakeDriver } from '../../../test/fake-driver.js';
import { FaultyDriver } from '../../../testing/faulty-driver.js';
import { hostLoopWorld } from '../../../testing/host-loop-world.js';
import { STEADY_RUN_MS, STEP_MS, UNKNOWN_INSPECTED_AT_ONCE } from '../limits.js';
import { SWEEP_MS } from '../../record/limits.js';

describe("the repairs of a host's loop", () => {
  const world = hostLoopWorld();

  describe('with a phone that vanished', () => {
    it('reports data_lost, charges no further, and makes no empty phone', async () => {
      await world.running();
      await world.loop.start();
      world.driver.phones.delete('ph_1');
      await world.loop.sweep();
      await world.until(async () => (await world.read()).state === 'failed', 0);
      expect((await world.read()).problem).to.include({ kind: 'data_lost' });
      expect(await world.read())
        .to.include({ wanted: 'running' })
        .and.not.to.have.any.keys('endpoint', 'startedAt');
      expect(world.charged).to.deep.equal([['ph_1', world.clock.now()]]);
      await world.accept(await world.read(), 'start');
      await world.until(world.hasEnded);
      expect(world.outcome()?.error?.message).to.contain('data is not on its host');
      expect(world.driver.calls).not.to.include('create');
      expect((await world.read()).problem).to.include({ kind: 'data_lost' });
    });

    it('starts it again when it comes back', async () => {
      await world.running();
      await world.loop.start();
      world.driver.phones.delete('ph_1');
      await world.loop.sweep();
      await world.until(async () => (await world.read()).state === 'failed', 0);
      world.driver.phones.set('ph_1', 'stopped');
      await world.until(world.hasEnded, SWEEP_MS / 4);
      expect(world.outcome()).to.include({ state: 'done' });
      expect(await world.read())
        .to.include({ state: 'running' })
        .and.not.to.have.any.keys('problem');
    });

    it('deletes its device', async () => {
      const device = await world.running();
      world.driver.phones.delete('ph_1');
      await world.accept(device, 'delete');
      await world.until(world.hasEnded);
      expect(world.outcome()).to.include({ state: 'done' });
      expect(await world.read()).to.include({ gone: true });
    });
  });

  describe('with a phone that is another than recorded', () => {
    it('adopts one that was rebooted, with a new generation, and its run goes on', async () => {
      const device = await world.running();
      await world.loop.start();
      world.driver.phones.set('ph_1', 'stopped');
      const endpoint = await FakeDriver.prototype.start.call(world.driver, 'ph_1');
      // This is what a report of the relay or of a screen does.
      world.loop.wake('ph_1');
      await world.until(async () => (await world.read()).generation === device.generation + 1, 0);
      const now = await world.read();
      expect(now.endpoint).to.deep.equal(endpoint).and.not.to.deep.equal(device.endpoint);
      expect(now.startedAt).to.deep.equal(device.startedAt);
      expect(world.charged).to.deep.equal([]);
    });

    it('gives up a wrong address', async () => {
      const wrong = { host: '127.0.0.1', port: 1, identity: 'OTHER/1' };
      const device = await world.running({ endpoint: wrong });
      await world.loop.start();
      await world.until(async () => (await world.read()).generation === device.generation + 1, 0);
      expect((await world.read()).endpoint?.identity).to.match(/^ph_1\//);
    });
  });

  it('repairs two phones that were lost while the database was away, charged only up to the loss', async () => {
    await world.running();
    await world.running({ _id: 'ph_2', name: 'two', nameKey: 'acc_1/two' }, STEADY_RUN_MS / 2);
    await world.loop.start();
    world.away = true;
    const lostMs = world.clock.now();
    world.driver.lose('ph_1', 'power loss');
    world.driver.lose('ph_2', 'power loss');
    let sinceMs = 0;
    await world.until(() => (sinceMs += 100) > 9_000);
    expect(world.loop.isDoubtful({ _id: 'ph_1' }) && world.loop.isDoubtful({ _id: 'ph_2' })).to.equal(true);
    world.away = false;
    await world.until(
      async () => (await world.read('ph_1')).job === undefined && (await world.read('ph_2')).state === 'failed',
    );
    expect(world.clock.now() - lostMs).to.be.greaterThan(9_000);
    expect(world.charged).to.have.deep.members([
      ['ph_1', lostMs],
      ['ph_2', lostMs],
    ]);
    await world.until(world.hasEnded);
    expect(await world.read('ph_1')).to.include({ state: 'running' });
    expect((await world.read('ph_2')).problem).to.include({ kind: 'stopped_by_itself' });
    expect(world.loop.isDoubtful({ _id: 'ph_1' }) || world.loop.isDoubtful({ _id: 'ph_2' })).to.equal(false);
  });

  describe('with phones that do not respond', () => {
    const other = (at: number) => ({ _id: `ph_${at}`, name: `name-${at}`, nameKey: `acc_1/name-${at}` });

    it('charges and repairs all others, and inspects these until they respond', async () => {
      await world.running();
      await world.running(other(2));
      await world.running(other(3));
      await world.loop.start();
      world.driver.silent.add('ph_1');
      world.driver.phones.set('ph_3', 'stopped');
      const silentMs = world.clock.now();
      await world.loop.sweep();
      await world.until(world.hasEnded, 0);
      expect(world.ended[0]!.device._id).to.equal('ph_3');
      expect(world.charged).to.deep.equal([['ph_3', silentMs]]);
      expect(await world.read('ph_3')).to.include({ state: 'running' });
      const doubtful = ['ph_1', 'ph_2', 'ph_3'].filter((_id) => world.loop.isDoubtful({ _id }));
      expect(doubtful).to.deep.equal(['ph_1']);

      await world.until(() => world.clock.now() - silentMs > 10 * SWEEP_MS, 1_000);
      const { silentInspections } = world.driver;
      expect(new Set(silentInspections)).to.deep.equal(new Set(['ph_1']));
      // Each inspection takes its whole time limit and a pause.
      expect(silentInspections.length).to.be.within(3, (11 * SWEEP_MS) / STEP_MS.inspect);
      expect(world.loop.isDoubtful({ _id: 'ph_1' })).to.equal(true);

      world.driver.silent.clear();
      await world.until(() => !world.loop.isDoubtful({ _id: 'ph_1' }), 1_000);
      expect(await world.read()).to.include({ state: 'running', generation: 1 });
      expect(world.charged).to.have.length(1);
    });

    it('charges one that turns out to be off up to when it first did not respond', async () => {
      await world.running();
      await world.loop.start();
      world.driver.silent.add('ph_1');
      const silentMs = world.clock.now();
      await world.loop.sweep();
      await world.until(() => world.clock.now() - silentMs > 2 * SWEEP_MS, 1_000);
      world.driver.phones.set('ph_1', 'stopped');
      world.driver.silent.clear();
      await world.until(world.hasEnded, 1_000);
      expect(world.charged).to.deep.equal([['ph_1', silentMs]]);
      expect(await world.read()).to.include({ state: 'running' });
    });

    it('inspects a bounded number of them at the same time', async () => {
      const count = UNKNOWN_INSPECTED_AT_ONCE * 2;
      for (let at = 1; at <= count; at++) await world.running(other(at));
      for (const phoneId of world.driver.phones.keys()) world.driver.silent.add(phoneId);
      await world.loop.sweep();
      await world.until(() => new Set(world.driver.silentInspections).size === count, 1_000);
      expect(world.driver.mostAtOnce).to.equal(UNKNOWN_INSPECTED_AT_ONCE);
    });
  });

  it('compares the phones of a driver although another driver cannot list its own', async () => {
    const attached = Object.assign(new FaultyDriver(), { kind: 'attached' });
    attached.breaks.set('list', 1_000);
    world.loop = world.open({ drivers: [attached, world.driver] });
    await world.running();
    await world.running({ _id: 'ph_2', name: 'two', nameKey: 'acc_1/two', driver: 'attached' });
    world.driver.phones.delete('ph_1');
    world.driver.phones.delete('ph_2');
    await world.loop.start();
    await world.until(async () => (await world.read()).state === 'failed', 0);
    expect((await world.read()).problem).to.include({ kind: 'data_lost' });
    expect(await world.read('ph_2')).to.include({ state: 'running' });
  });

  it('charges a run that ended with the last process up to then, though a stop was accepted later', async () => {
    const device = await world.running({}, 3_600_000);
    const seenBefore = new Date(world.clock.now() - 1_800_000);
    world.driver.phones.set(device._id, 'stopped');
    await world.stored.claims.byId(device._id, ['running'], world.job('stop'), {
      state: 'stopping',
      wanted: 'stopped',
    });
    world.loop = world.open({ epoch: 2, seenBefore });
    const started = world.loop.start();
    await world.until(() => world.ended.length === 1);
    await started;
    expect(world.charged).to.deep.equal([['ph_1', seenBefore.getTime()]]);
    expect(world.ended[0]!.job.outcome).to.include({ state: 'done' });
    expect(await world.read()).to.include({ state: 'stopped' });
  });

  it('brings back phones that ended with the last process, without a charge for the gap, though the first comparison failed', async () => {
    const seenBefore = new Date(world.clock.now() - 20_000);
    await world.running({}, 30_000);
    world.driver.phones.set('ph_1', 'stopped');
    world.driver.breaks.set('list', 1);
    world.loop = world.open({ epoch: 2, seenBefore });
    await world.loop.start();
    expect(world.loop.isDoubtful(await world.read())).to.equal(true);
    // Another service reports the phone before the comparison is tried again.
    world.loop.wake('ph_1');
    await world.until(world.hasEnded, 0);
    expect(world.charged).to.deep.equal([['ph_1', seenBefore.getTime()]]);
    expect(await world.read()).to.include({ state: 'running' });
  });

  describe('with the devices of a host that was forgotten', () => {
    it('charges their runs up to when that host was last alive, however late it looks, and reports data_lost', async () => {
      const lostAt = new Date(world.clock.now() - 30 * 60_000);
      const device = await world.running({ lostAt }, 3_600_000);
      world.driver.phones.delete(device._id);
      expect(world.loop.isDoubtful(device)).to.equal(true);
      await world.loop.start();
      expect(world.loop.isDoubtful(device)).to.equal(true);
      await world.until(async () => (await world.read()).state === 'failed', 0);
      expect(world.charged).to.deep.equal([['ph_1', lostAt.getTime()]]);
      expect((await world.read()).problem).to.include({ kind: 'data_lost' });
      expect(await world.read()).not.to.have.any.keys('lostAt', 'startedAt');
    });

    it('charges the run that a DELETE ends no further either', async () => {
      const lostAt = new Date(world.clock.now() - 30 * 60_000);
      const device = await world.running({ lostAt }, 3_600_000);
      world.driver.phones.delete(device._id);
      await world.claim(device, 'delete');
      await world.loop.start();
      await world.until(world.hasEnded);
      expect(world.outcome()).to.include({ state: 'done' });
      expect(world.charged).to.deep.equal([['ph_1', lostAt.getTime()]]);
    });
  });

  it('clears that a host is away once it is back and finds its phone as recorded', async () => {
    const problem = { kind: 'host_away' as const, message: 'away', since: new Date(0) };
    await world.running({ problem });
    await world.loop.start();
    await world.until(async () => (await world.read()).problem === undefined);
    expect(await world.read()).to.include({ state: 'running' });
    expect((await world.read()).deviceEvents?.map(({ type }) => type)).to.deep.equal(['health.resolved']);
  });

  it('remembers when a phone was lost across a crash, though its driver does not respond', async () => {
    await world.running({}, 3_600_000);
    await world.loop.start();
    world.driver.lose('ph_1', 'power loss');
    const lostMs = world.clock.now();
    world.settle = () => Promise.reject(new Error('the process ends here'));
    await world.until(async () => (await world.read()).lostAt !== undefined, 0);
    await world.closeLoop();
    await world.until(() => world.clock.now() - lostMs > 600_000, 10_000);
    const { charged } = world;
    world.settle = async ({ _id }, endMs) => void charged.push([_id, endMs]);
    world.loop = world.open({ epoch: 2, seenBefore: new Date(world.clock.now()) });
    await world.loop.start();
    await world.until(() => world.charged.length > 0);
    expect(world.charged[0]).to.deep.equal(['ph_1', lostMs]);
  });

  it('remembers since when a phone was not known to run across a crash', async () => {
    await world.running({}, 3_600_000);
    world.driver.silent.add('ph_1');
    await world.loop.start();
    const missedMs = world.clock.now();
    await world.until(async () => (await world.read()).lostAt !== undefined, 1_000);
    await world.closeLoop();
    world.clock.turn(600_000);
    world.driver.silent.clear();
    world.driver.phones.set('ph_1', 'stopped');
    world.loop = world.open({ epoch: 2, seenBefore: new Date(world.clock.now()) });
    await world.loop.start();
    await world.until(() => world.charged.length > 0);
    expect(world.charged[0]![1]).to.be.within(missedMs, missedMs + 1_000);
  });

  it('charges a phone that did not respond for a while, and ran, up to the stop that the customer requests', async () => {
    const device = await world.running({}, 3_600_000);
    world.driver.silent.add('ph_1');
    await world.loop.start();
    await world.until(async () => (await world.read()).lostAt !== undefined, 1_000);
    await world.until(() => world.clock.now() - device.startedAt!.getTime() > 2 * 3_600_000, 60_000);
    await world.accept(await world.read(), 'stop');
    const stoppedMs = world.clock.now();
    world.driver.silent.clear();
    await world.until(world.hasEnded, 1_000);
    expect(world.charged).to.deep.equal([['ph_1', stoppedMs]]);
  });

  it('lets the run of a phone that was not known to run, and does, go on', async () => {
    const device = await world.running({}, 3_600_000);
    world.driver.silent.add('ph_1');
    await world.loop.start();
    await world.until(async () => (await world.read()).lostAt !== undefined, 1_000);
    world.driver.silent.clear();
    await world.until(async () => (await world.read()).lostAt === undefined, 1_000);
    expect(await world.read()).to.deep.include({ state: 'running', startedAt: device.startedAt });
    expect(world.charged).to.deep.equal([]);
  });

  it('does not charge a phone that boots for ever, and stops it', async () => {
    const device = await world.running();
    await world.loop.start();
    const inspect = world.driver.inspect.bind(world.driver);
    world.driver.inspect = async (phoneId) => {
      const status = await inspect(phoneId);
      return status.state === 'running' ? { state: 'starting' } : status;
    };
    world.loop.wake('ph_1');
    await world.until(async () => world.loop.isDoubtful(await world.read()));
    await world.until(() => world.driver.calls.includes('stop'), 5_000);
    await world.until(() => world.charged.length > 0);
    expect(world.charged[0]![1]).to.be.lessThan(device.startedAt!.getTime() + STEADY_RUN_MS + 10_000);
  });
});
