import { expect } from 'chai';
import { UnderWay } from './under-way.js';

describe('work under way', () => {
  it('is counted by account and in all until it ends, well or badly', async () => {
    const underWay = new UnderWay();
    const ends: ((failed: boolean) => void)[] = [];
    const begin = (account: string): Promise<string> =>
      underWay.run(
        account,
        () =>
          new Promise((resolve, reject) =>
            ends.push((failed) => (failed ? reject(new Error('broken off')) : resolve('done'))),
          ),
      );
    const counts = (): number[] => [underWay.of('a'), underWay.of('b'), underWay.all];

    const works = [begin('a'), begin('a'), begin('b')];
    expect(counts()).to.deep.equal([2, 1, 3]);
    ends[0]?.(true);
    expect(await works[0]?.catch(String)).to.equal('Error: broken off');
    expect(counts()).to.deep.equal([1, 1, 2]);
    ends[1]?.(false);
    ends[2]?.(false);
    expect(await Promise.all(works.slice(1))).to.deep.equal(['done', 'done']);
    expect(counts()).to.deep.equal([0, 0, 0]);
  });
});
