import { expect } from 'chai';
import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import { multiplied, warmPriceText } from './warm-price.js';

const pricesOf = (billing: boolean): CloudPhone =>
  ({
    get: () => Promise.resolve({ prices: { minute: '0.004', month: '60', trial_minutes: 0, billing } }),
  }) as unknown as CloudPhone;

describe('the price of ready phones', () => {
  const { signal } = new AbortController();

  it('is that of an hour or of a month, and none where nothing is charged', async () => {
    const text = (ready: number, plan: 'minute' | 'month', billing = true) =>
      warmPriceText(pricesOf(billing), { ready, plan }, signal);
    expect(await text(3, 'minute')).to.equal('3 ready phones: 0.72 USD an hour.');
    expect(await text(1, 'minute')).to.equal('1 ready phone: 0.24 USD an hour.');
    expect(await text(2, 'month')).to.equal('2 ready phones: 120.00 USD a month.');
    expect(await text(2, 'minute', false)).to.equal(undefined);
  });

  it('is exact, with two decimals or more', () => {
    expect(multiplied('0.000001', 3)).to.equal('0.000003');
    expect(multiplied('0.1', 3)).to.equal('0.30');
    expect(multiplied('0', 60)).to.equal('0.00');
    expect(multiplied('12.5', 4)).to.equal('50.00');
  });
});
