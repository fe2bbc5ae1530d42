import { expect } from 'chai';
import { deviceDocument } from '../../../testing/device-document.js';
import { hostLoopWorld } from '../../../testing/host-loop-world.js';
import { MAX_REPAIR_TRIES } from '../limits.js';
import { SWEEP_MS } from '../../record/limits.js';

describe('the repair of a phone', () => {
  const world = hostLoopWorld();

  it('that fails again and again is reported as a problem of the device, and made at each comparison until it succeeds', async () => {
    await world.stored.insert(deviceDocument());
    world.driver.phones.set('ph_1', 'running');
    world.driver.breaks.set('stop', MAX_REPAIR_TRIES + 3);
    await world.loop.start();
    await world.until(async () => (await world.read()).problem !== undefined, 1_000);
    expect((await world.read()).problem).to.include({ kind: 'not_stopped' });
    // The driver may have broken one more time since.
    expect(world.driver.breaks.get('stop')).to.be.within(2, 3);
    const reportedMs = world.clock.now();
    await world.until(async () => (await world.read()).problem === undefined, 1_000);
    expect(world.clock.now() - reportedMs).to.be.within(2 * SWEEP_MS, 5 * SWEEP_MS);
    expect(await world.read()).to.include({ state: 'stopped' });
    expect(world.driver.phones.get('ph_1')).to.equal('stopped');

    // The count begins anew.
    world.driver.phones.set('ph_1', 'running');
    world.driver.breaks.set('stop', 2);
    await world.until(() => world.driver.phones.get('ph_1') === 'stopped', 1_000);
    expect(await world.read()).not.to.have.property('problem');
  });

  it('reports a phone that was never made, as its host was away, once that is back', async () => {
    const problem = { kind: 'host_away' as const, message: 'away', since: new Date(0) };
    const device = deviceDocument({ state: 'failed', problem });
    delete device.made;
    await world.stored.insert(device);
    await world.loop.start();
    await world.until(async () => (await world.read()).problem?.kind === 'create');
    expect((await world.read()).problem?.message).to.contain('DELETE /v1/devices/one');
  });
});
