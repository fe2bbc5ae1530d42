import { expect } from 'chai';
import { silentLog } from '../../kit/log/log.js';
import { FakeClock, settled } from '../../testing/fake-clock.js';
import { HostObstacle } from './host-obstacle.js';

describe('the obstacle of a host', () => {
  it('is found once for all, and renewed without being waited for', async () => {
    const clock = new FakeClock();
    const ends: ((obstacle: string | undefined) => void)[] = [];
    const examine = (): Promise<string | undefined> => new Promise((resolve) => ends.push(resolve));
    const host = new HostObstacle({ examine, clock, log: silentLog });
    const both = Promise.all([host.find(), host.find()]);
    ends[0]?.('no KVM');
    expect(await both).to.deep.equal(['no KVM', 'no KVM']);
    clock.turn(30_000);
    expect(await host.find()).to.equal('no KVM');
    expect(ends).to.have.length(1);
    clock.turn(1);
    expect(await Promise.all([host.find(), host.find()])).to.deep.equal(['no KVM', 'no KVM']);
    expect(ends).to.have.length(2);
    ends[1]?.(undefined);
    await settled();
    expect(await host.find()).to.equal(undefined);
  });

  it('is searched again after an examination that failed, and the last finding holds meanwhile', async () => {
    const clock = new FakeClock();
    const results: (Error | string)[] = [new Error('no room'), 'no image', new Error('no room'), 'no KVM'];
    const examine = (): Promise<string> => {
      const result = results.shift();
      return result instanceof Error ? Promise.reject(result) : Promise.resolve(result ?? '');
    };
    const host = new HostObstacle({ examine, clock, log: silentLog });
    const failure: unknown = await host.find().catch((error: unknown) => error);
    expect(failure).to.have.property('message', 'no room');
    expect(await host.find()).to.equal('no image');
    clock.turn(30_001);
    expect(await host.find()).to.equal('no image');
    await settled();
    expect(await host.find()).to.equal('no image');
    clock.turn(30_001);
    await host.find();
    await settled();
    expect(await host.find()).to.equal('no KVM');
  });
});
