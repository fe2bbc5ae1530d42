import { expect } from 'chai';
import { PhoneFailure } from '../../../phone/driver.js';
import { FakeDriver } from '../../../test/fake-driver.js';
import { hostLoopWorld } from '../../../testing/host-loop-world.js';
import type { WorkTask } from '../jobs/worker.js';
import { JOB_LIMIT_MS } from '../limits.js';

describe('with work on a running phone', () => {
  const world = hostLoopWorld();

  it('does it on the phone as it is now, and leaves the run as it was', async () => {
    const device = await world.running();
    const tasks: WorkTask[] = [];
    world.worker = async (task) => {
      tasks.push(task);
      task.onProgress(40);
      return { result: { package: 'org.example.app' }, change: { exit: { ...device.exit, address: '192.0.2.7' } } };
    };
    await world.accept(device, 'uninstall');
    await world.until(world.hasEnded, 0);
    expect(tasks.map(({ work, endpoint }) => ({ work, endpoint }))).to.deep.equal([
      { work: { kind: 'uninstall', package: 'org.example.app' }, endpoint: device.endpoint },
    ]);
    expect(world.ended[0]?.job).to.deep.include({ progress: 100 });
    expect(world.outcome()).to.deep.include({ state: 'done', result: { package: 'org.example.app' } });
    const now = await world.read();
    expect(now).to.include({ state: 'running', wanted: 'running', generation: device.generation });
    expect(now).to.deep.include({ endpoint: device.endpoint, startedAt: device.startedAt });
    expect(now.exit.address).to.equal('192.0.2.7');
    expect(now.finished?.[0]).not.to.have.any.keys('work', 'requestedBy');
    expect(world.charged).to.deep.equal([]);
  });

  it('does it again after an error, with the phone found anew', async () => {
    const device = await world.running();
    const found: string[] = [];
    world.worker = async ({ endpoint }) => {
      found.push(endpoint.identity);
      if (found.length > 2) return {};
      world.driver.phones.set('ph_1', 'stopped');
      await FakeDriver.prototype.start.call(world.driver, 'ph_1');
      throw new Error('the link broke off');
    };
    await world.accept(device, 'uninstall');
    await world.until(world.hasEnded);
    expect(world.outcome()).to.include({ state: 'done' });
    expect(found).to.deep.equal(['ph_1/1', 'ph_1/2', 'ph_1/3']);
    // The phone was rebooted meanwhile, which is known once the job is over.
    await world.until(async () => (await world.read()).endpoint?.identity === 'ph_1/3');
    expect(await world.read()).to.include({ state: 'running', generation: device.generation + 1 });
  });

  it("fails on the phone's own final response, and the device stays healthy", async () => {
    const device = await world.running();
    world.worker = async () => {
      throw new PhoneFailure('Failure [DELETE_FAILED_DEVICE_POLICY_MANAGER]');
    };
    await world.accept(device, 'uninstall');
    await world.until(world.hasEnded, 0);
    expect(world.outcome()).to.deep.include({
      state: 'failed',
      error: { error: 'unavailable', message: 'Failure [DELETE_FAILED_DEVICE_POLICY_MANAGER]' },
    });
    const now = await world.read();
    expect(now).to.include({ state: 'running', wanted: 'running', generation: device.generation });
    expect(now).not.to.have.any.keys('problem', 'job');
  });

  it('cuts work that does not end at the limit of the job, and the device stays healthy', async () => {
    const device = await world.running();
    let signal: AbortSignal | undefined;
    world.worker = (task) => {
      signal = task.signal;
      return new Promise(() => undefined);
    };
    await world.accept(device, 'uninstall');
    const beganMs = world.clock.monotonicMs();
    await world.until(world.hasEnded, 1_000);
    // The clock goes on while the database responds in real time, so only the lower bound holds on every machine.
    expect(world.clock.monotonicMs() - beganMs).to.be.at.least(JOB_LIMIT_MS.uninstall);
    expect(signal?.aborted).to.equal(true);
    expect(world.outcome()?.error).to.include({ error: 'timeout' });
    expect(await world.read()).to.include({ state: 'running', generation: device.generation });
    expect((await world.read()).problem).to.equal(undefined);
  });

  it('fails where the phone has stopped, with that reason, and brings the phone back', async () => {
    const device = await world.running();
    await world.loop.start();
    world.worker = async () => {
      world.driver.lose('ph_1', 'power loss');
      throw new Error('the link broke off');
    };
    await world.accept(device, 'uninstall');
    await world.until(() => world.ended.length === 2);
    expect(world.ended.map(({ job: { kind, outcome: end } }) => [kind, end?.state])).to.deep.equal([
      ['uninstall', 'failed'],
      ['start', 'done'],
    ]);
    expect(world.outcome()?.error).to.include({ error: 'unavailable' });
    expect(world.outcome()?.error?.message).to.contain('stopped running before the uninstall was done');
    expect(await world.read()).to.include({ state: 'running', generation: device.generation + 1 });
    expect(world.charged).to.have.length(1);
  });

  it('is gone on with by the next process, where the phone went on running', async () => {
    await world.claim(await world.running(), 'uninstall');
    let calls = 0;
    world.worker = async () => (calls++, {});
    world.loop = world.open({ epoch: 2, seenBefore: new Date(world.clock.now() - 20_000) });
    await world.loop.start();
    await world.until(world.hasEnded);
    expect(world.outcome()).to.include({ state: 'done' });
    expect(calls).to.equal(1);
    expect(await world.read()).to.include({ state: 'running', generation: 1 });
    expect(world.charged).to.deep.equal([]);
  });

  it('fails after a crash that took the phone along, whose run is charged up to then, and brings it back', async () => {
    const seenBefore = new Date(world.clock.now() - 20_000);
    await world.claim(await world.running({}, 30_000), 'uninstall');
    world.driver.phones.set('ph_1', 'stopped');
    world.loop = world.open({ epoch: 2, seenBefore });
    await world.loop.start();
    await world.until(() => world.ended.length === 2);
    expect(world.ended.map(({ job: { kind, outcome: end } }) => [kind, end?.state])).to.deep.equal([
      ['uninstall', 'failed'],
      ['start', 'done'],
    ]);
    expect(world.charged).to.deep.equal([['ph_1', seenBefore.getTime()]]);
  });

  for (const method of ['findById', 'finish'] as const) {
    it(`ends once, though the reply to its ${method} was lost`, async () => {
      const device = await world.running();
      world.lostReplies.add(method);
      await world.accept(device, 'uninstall');
      await world.until(world.hasEnded);
      await world.until(() => world.loop.kinds.length === 0);
      expect(world.ended.map(({ job: { id } }) => id)).to.deep.equal(['job_uninstall']);
      expect((await world.read()).finished?.map(({ id }) => id)).to.deep.equal(['job_uninstall']);
      expect(await world.read()).to.include({ state: 'running', generation: device.generation });
    });
  }
});
