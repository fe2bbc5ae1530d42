import { expect } from 'chai';
import { TRANSFERS, Transfers } from './transfers.js';

/** Returns how many files `account` can begin, each from a phone of its own. The phones are named after the account. */
function begun(transfers: Transfers, account: string): number {
  for (let count = 0; ; count++) {
    try {
      transfers.begin({ phoneId: `${account}_${count}`, name: 'demo' }, account);
    } catch (error) {
      expect(error).to.include({ kind: 'rate_limited' });
      return count;
    }
  }
}

describe('files under way', () => {
  it('are twelve of an account, and fewer while many are under way, so that some accounts never take all', () => {
    const transfers = new Transfers();
    const counts = Array.from({ length: 12 }, (_, at) => begun(transfers, `acc_${at}`));
    expect(counts.slice(0, 2)).to.deep.equal([TRANSFERS.ofAccount, TRANSFERS.ofAccount]);
    // The third account gets those up to the half.
    expect(counts.slice(2, 12)).to.deep.equal([6, ...Array<number>(9).fill(3)]);
    expect(transfers.all).to.equal(57);
  });

  it('give their room back once they are through', () => {
    const transfers = new Transfers();
    const ends = [1, 2, 3].map(() => transfers.begin({ phoneId: 'ph_1', name: 'demo' }, 'acc_1'));
    expect(() => transfers.begin({ phoneId: 'ph_1', name: 'demo' }, 'acc_1')).to.throw('3 files');
    for (const end of [...ends, ...ends]) end();
    expect(transfers.all).to.equal(0);
  });
});
