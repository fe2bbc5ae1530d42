import { expect } from 'chai';
import { hostLoopWorld } from '../../../testing/host-loop-world.js';
import { ORPHAN_GRACE_MS } from '../limits.js';
import { SWEEP_MS } from '../../record/limits.js';

describe('phones that no device of the host has', () => {
  const world = hostLoopWorld();

  it('are removed after the grace time when they are of no device, and no others', async () => {
    await world.running();
    world.driver.phones.set('ph_orphan', 'running');
    await world.loop.start();
    await world.until(() => world.clock.monotonicMs() >= ORPHAN_GRACE_MS - SWEEP_MS, SWEEP_MS);
    expect(world.driver.phones.has('ph_orphan')).to.equal(true);
    await world.until(() => !world.driver.phones.has('ph_orphan'), SWEEP_MS);
    expect(world.clock.monotonicMs()).to.be.least(ORPHAN_GRACE_MS);
    expect(world.driver.phones.has('ph_1')).to.equal(true);
  });

  it('are all kept while no device of the host is known', async () => {
    world.driver.phones.set('ph_orphan', 'running');
    await world.loop.start();
    for (let hours = 0; hours < 3; hours++) {
      world.clock.turn(ORPHAN_GRACE_MS);
      await world.loop.sweep();
    }
    expect(world.driver.phones.has('ph_orphan')).to.equal(true);
  });

  it('are removed though another one of them cannot be', async () => {
    await world.running();
    world.driver.phones.set('ph_orphan_1', 'stopped').set('ph_orphan_2', 'stopped');
    await world.loop.sweep();
    world.clock.turn(ORPHAN_GRACE_MS);
    world.driver.breaks.set('delete', 1);
    await world.loop.sweep();
    expect([...world.driver.phones.keys()]).to.deep.equal(['ph_1', 'ph_orphan_1']);
  });

  it('are not left by a create that failed after it had made the phone', async () => {
    world.driver.breaks.set('create', 1_000);
    const device = await world.creating();
    world.loop.begin(device);
    world.driver.hangs.add('inspect');
    await world.until(world.hasEnded, 5_000);
    expect(world.outcome()).to.include({ state: 'failed' });
    world.driver.hangs.clear();
    await world.accept(await world.read(), 'delete');
    await world.until(() => world.ended.length === 2);
    expect(await world.read()).to.include({ gone: true });
    expect(world.driver.phones.size).to.equal(0);
  });

  it('are stopped and kept when their device belongs to another host, as after this one was forgotten', async () => {
    const device = await world.running({ hostId: 'host-2', state: 'failed' });
    expect(world.driver.phones.get(device._id)).to.equal('running');
    await world.loop.start();
    expect(world.driver.phones.get(device._id)).to.equal('stopped');
    world.clock.turn(ORPHAN_GRACE_MS);
    await world.loop.sweep();
    expect(world.driver.calls).to.deep.equal(['stop']);
    expect(await world.read()).to.include({ hostId: 'host-2', state: 'failed' });
  });

  it('do not keep one another from being stopped', async () => {
    await world.running({ hostId: 'host-2' });
    await world.running({ _id: 'ph_2', name: 'two', nameKey: 'acc_1/two', hostId: 'host-2' });
    world.driver.breaks.set('stop', 1);
    await world.loop.start();
    expect([...world.driver.phones.values()]).to.have.members(['running', 'stopped']);
    await world.loop.sweep();
    expect([...world.driver.phones.values()]).to.deep.equal(['stopped', 'stopped']);
  });
});
