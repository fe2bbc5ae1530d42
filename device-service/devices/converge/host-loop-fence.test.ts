import { expect } from 'chai';
import { deviceDocument } from '../../../testing/device-document.js';
import { FaultyDriver } from '../../../testing/faulty-driver.js';
import { hostLoopWorld } from '../../../testing/host-loop-world.js';

describe("the fence of a host's writes", () => {
  const world = hostLoopWorld();
  const forgotten = { epoch: 1, lostAt: new Date(0) };
  /** Another host, whose epoch has the same number. */
  const other = { hostId: 'host-2', epoch: 1, driver: 'simulated' };

  it('keeps a host that was cut off during a create from the device that another host of an equal epoch has taken over', async () => {
    let goOn = (): void => undefined;
    world.driver.gate = new Promise((resolve) => (goOn = resolve));
    world.loop.begin(await world.creating());
    await world.until(() => world.driver.calls.includes('start'));
    await world.stored.ofHost('host-1').moveAll(forgotten, other);
    const driver = new FaultyDriver();
    const second = world.open({ hostId: 'host-2', drivers: [driver] });
    await second.start();
    await world.until(world.hasEnded);
    const taken = await world.read();
    goOn();
    await world.until(() => world.driver.phones.get('ph_1') === 'running');
    await world.until(() => world.loop.kinds.length === 0);
    expect(await world.read()).to.deep.equal(taken);
    expect(world.ended).to.have.length(1);
    const closed = second.close(0);
    world.clock.turn(0);
    await closed;
  });

  it('keeps repairs, health checks and notes of a host from a device that has moved', async () => {
    const device = await world.running();
    await world.stored.ofHost('host-1').moveAll(forgotten, other);
    const moved = await world.read();
    const job = world.job('start');
    expect(await world.stored.change(device, { state: 'starting', job })).to.equal(undefined);
    expect(await world.stored.changeIdle(device, { problem: null, state: 'failed' })).to.equal(false);
    await world.stored.noteAddress(device, '192.0.2.1');
    await world.stored.take(device._id, 'host-1', 7);
    await world.stored.noteStorage(device, 7);
    expect(await world.stored.claims.unused({ ...device, idleStopS: 0 }, job, {})).to.equal(undefined);
    expect(await world.read()).to.deep.equal(moved);
  });

  it('keeps a process of an earlier epoch from the devices of a later one', async () => {
    const device = await world.running({ fence: 7 });
    await world.stored.ofHost('host-1').takeAll(5, new Date(0));
    expect(await world.read()).to.deep.equal(device);
    await world.accept(device, 'stop');
    await world.until(() => world.loop.kinds.length === 0);
    expect(await world.read()).to.include({ state: 'stopping', fence: 7 });
    expect(world.driver.calls).to.deep.equal([]);
  });

  it('lets a repair begin no job on a device that an earlier process has read', async () => {
    const device = deviceDocument({ wanted: 'running' });
    await world.stored.insert(device);
    await world.stored.ofHost('host-1').takeAll(2, undefined);
    expect(await world.stored.change(device, { job: world.job('start') })).to.equal(undefined);
    expect(await world.read()).not.to.have.property('job');
  });
});
