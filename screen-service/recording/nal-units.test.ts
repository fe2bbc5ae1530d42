import { expect } from 'chai';
import { nalUnits, toSample } from './nal-units.js';

const unit = (...bytes: number[]): Buffer => Buffer.from([0, 0, 0, 1, ...bytes]);

describe('the NAL units of a video', () => {
  it('get their lengths in front in place of start codes, without parameter sets and delimiters', () => {
    const picture = Buffer.concat([unit(9, 1), unit(0x67, 1, 2), unit(0x68, 3), unit(0x65, 4, 5, 0, 0), unit(0x41, 6)]);
    expect(toSample(picture).toString('hex')).to.equal('0000000365040500000002'.slice(0, 14) + '00000002' + '4106');
    expect(toSample(Buffer.alloc(0))).to.have.length(0);
  });

  it('are refused, without much work, when there are ten times as many as may be', () => {
    const hostile = Buffer.concat(Array.from({ length: 10_000 }, () => Buffer.from([0, 0, 1, 0x65])));
    expect(() => nalUnits(hostile)).to.throw('cannot be stored');
    expect(nalUnits(hostile.subarray(0, 4 * 1_000))).to.have.length(1_000);
  });
});
