import { expect } from 'chai';
import { PhoneFailure } from '../../../phone/driver.js';
import { settled } from '../../../testing/fake-clock.js';
import { hostLoopWorld } from '../../../testing/host-loop-world.js';
import { transitions } from '../../record/transitions.js';
import type { DeviceDocument } from '../../store/device-document.js';

describe('a restore', () => {
  const world = hostLoopWorld();

  async function restore(device: DeviceDocument): Promise<void> {
    const job = world.job('restore', { snapshot: 'snap_1' });
    world.loop.begin((await world.stored.claims.byId(device._id, [device.state], job, transitions.restore.change!))!);
    await world.until(world.hasEnded);
  }

  it('of a damaged snapshot leaves the phone running, reachable and charged while it is checked and afterwards', async () => {
    const device = await world.running();
    const during: DeviceDocument[] = [];
    world.driver.snapshots.check = async () => {
      during.push(await world.read());
      throw new PhoneFailure('A file of the snapshot is damaged.');
    };
    await restore(device);
    const { state, endpoint, startedAt, generation } = device;
    expect(during[0]).to.deep.include({ state, endpoint, startedAt, generation });
    expect(world.outcome()).to.include({ state: 'failed' });
    expect(await world.read()).to.deep.include({ state, endpoint, startedAt, generation });
    expect(await world.read()).not.to.have.property('problem');
    expect(world.charged).to.deep.equal([]);
    expect(world.driver.calls).to.deep.equal([]);
  });

  it('charges the run of a phone that is lost during the check up to then', async () => {
    const device = await world.running();
    await world.loop.start();
    let lostMs = 0;
    world.driver.snapshots.check = async () => {
      world.clock.turn(5_000);
      lostMs = world.clock.now();
      world.driver.lose('ph_1', 'power loss');
      await settled();
      world.clock.turn(5_000);
    };
    await restore(device);
    expect(world.outcome()).to.include({ state: 'done' });
    expect(world.charged).to.deep.equal([['ph_1', lostMs]]);
  });

  it('stops the phone once the snapshot is found whole, and charges its run up to then', async () => {
    const device = await world.running();
    world.driver.snapshots.check = async () => world.clock.turn(5_000);
    await restore(device);
    expect(world.outcome()).to.include({ state: 'done' });
    expect(world.driver.calls).to.deep.equal(['stop', 'restore', 'start']);
    expect(world.charged).to.have.length(1);
    expect(world.charged[0]![1]).to.be.at.least(world.ended[0]!.job.createdAt.getTime() + 5_000);
    expect(await world.read()).to.include({ state: 'running' });
  });
});
