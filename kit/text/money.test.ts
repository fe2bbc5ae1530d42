import { expect } from 'chai';
import { formatMoney, parseMoney } from './money.js';

describe('money', () => {
  const pairs: [number, string][] = [
    [0, '0.00'],
    [1, '0.000001'],
    [4_000, '0.004'],
    [100_000, '0.10'],
    [9_996_000, '9.996'],
    [12_000_000, '12.00'],
    [1_234_567_000_010, '1234567.00001'],
  ];

  it('is written with two decimals or as many as it takes, and read back the same', () => {
    for (const [micros, text] of pairs) {
      expect(formatMoney(micros)).to.equal(text);
      expect(parseMoney(text)).to.equal(micros);
    }
    expect(formatMoney(-500_000)).to.equal('-0.50');
    expect(parseMoney('5')).to.equal(5_000_000);
  });

  it('is not read from text that is no amount', () => {
    for (const text of ['', '-1', '1e3', '1.', '.5', '0.0000001', '1,5', ' 1', '1234567890', 'NaN']) {
      expect(parseMoney(text), text).to.equal(undefined);
    }
    expect(() => formatMoney(0.5)).to.throw();
  });
});
