import { expect } from 'chai';
import { UsageError } from '../output/usage-error.js';
import { Options } from './options.js';

describe('an option that is a time', () => {
  const seconds = (ttl: string): number | undefined => new Options({ ttl }).seconds('ttl', { min: 30, max: 86_400 });

  it('is read in seconds, minutes and hours', () => {
    expect(['90', '90s', '15m', '24h'].map(seconds)).to.deep.equal([90, 90, 900, 86_400]);
    expect(new Options({}).seconds('ttl', { min: 0, max: 1 })).to.equal(undefined);
  });

  it('is refused with its bounds where it is none, or out of them', () => {
    for (const text of ['', '29', '25h', '1.5h', '15 m', '-90', '90x', '1e3', '9999999999'])
      expect(() => seconds(text), text).to.throw(UsageError, 'from 30s to 86400s');
  });
});
