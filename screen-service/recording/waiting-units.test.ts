import { expect } from 'chai';
import type { VideoUnit } from '../live/video/video-unit.js';
import { WaitingUnits } from './waiting-units.js';

const MIB = 1024 * 1024;

describe('the units that wait for a recording', () => {
  const unit = (bytes: number): VideoUnit => ({
    data: Buffer.alloc(bytes),
    isKey: true,
    configuration: { codec: '', width: 2, height: 2, data: Buffer.alloc(0) },
    cameMs: 0,
  });

  it('are taken in their order, once each', () => {
    const waiting = new WaitingUnits();
    expect(waiting.hasBegun).to.equal(false);
    const units = [unit(1), unit(2)];
    for (const one of units) waiting.add(one);
    expect(waiting.take()).to.deep.equal(units);
    expect([waiting.take(), waiting.hasBegun, waiting.failure]).to.deep.equal([[], true, undefined]);
  });

  it('are bounded, however long nobody takes them', () => {
    const waiting = new WaitingUnits();
    const eight = unit(8 * MIB);
    for (let count = 0; count < 80; count++) {
      waiting.add(eight);
      if (count < 8) expect(waiting.failure).to.equal(undefined);
    }
    expect(waiting.failure?.message).to.match(/not stored as fast/);
    expect(waiting.take()).to.deep.equal([]);
  });
});
