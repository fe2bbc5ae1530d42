import { expect } from 'chai';
import { settled } from '../../testing/fake-clock.js';
import { Batches } from './batches.js';

describe('batches', () => {
  function recording(outcomeOf: (item: number) => string | Error = String) {
    const runs: number[][] = [];
    const finish: (() => void)[] = [];
    const batches = new Batches<number, string>({
      run: async (items) => {
        runs.push(items);
        await new Promise<void>((resolve) => finish.push(resolve));
        return items.map(outcomeOf);
      },
      maxItems: 3,
      maxBytes: 100,
      bytesOf: (item) => item,
      maxBatches: 1,
    });
    return { batches, runs, next: () => finish.shift()?.() };
  }

  it('gather items that arrive while one is under way, up to a number and a size', async () => {
    const { batches, runs, next } = recording();
    const outcomes = [1, 2].map((item) => batches.add(item));
    await settled();
    outcomes.push(...[3, 4, 5, 6, 90, 20, 200].map((item) => batches.add(item)));
    for (let count = 0; count < 6; count++) {
      await begun();
      next();
    }
    expect(await Promise.all(outcomes)).to.deep.equal(['1', '2', '3', '4', '5', '6', '90', '20', '200']);
    expect(runs).to.deep.equal([[1, 2], [3, 4, 5], [6, 90], [20], [200]]);
  });

  it('include items added by callers whose previous item has just been written', async () => {
    const { batches, runs, next } = recording();
    const chains = [1, 2].map((item) => batches.add(item).then(() => batches.add(item + 10)));
    await begun();
    const third = batches.add(3);
    next();
    await begun();
    next();
    expect(await Promise.all([...chains, third])).to.deep.equal(['11', '12', '3']);
    expect(runs).to.deep.equal([
      [1, 2],
      [3, 11, 12],
    ]);
  });

  it('fail an item alone, or all of a batch', async () => {
    const { batches, next } = recording((item) => (item === 2 ? new Error('two') : String(item)));
    const outcomes = Promise.allSettled([1, 2, 3].map((item) => batches.add(item)));
    await settled();
    next();
    expect((await outcomes).map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    const broken = new Batches<number, string>({
      run: async () => Promise.reject(new Error('away')),
      maxItems: 3,
      maxBytes: 100,
      bytesOf: () => 1,
      maxBatches: 1,
    });
    const both = await Promise.allSettled([broken.add(1), broken.add(2)]);
    expect(both.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect((await Promise.allSettled([broken.add(3)]))[0].status).to.equal('rejected');
  });
});

/** A batch begins in the turn after the one in which something was added or the last one ended. */
async function begun(): Promise<void> {
  await settled();
  await settled();
}
