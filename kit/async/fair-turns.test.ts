import { expect } from 'chai';
import { FairTurns } from './fair-turns.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('fair turns', () => {
  let done: string[];
  const piece = (name: string): (() => boolean) => {
    const into = done;
    return () => {
      into.push(name);
      return true;
    };
  };
  beforeEach(() => (done = []));

  it('do what a turn has room for at once, and the rest in later ones', async () => {
    const turns = new FairTurns(2);
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) turns.add('a', piece(name));
    expect(done).to.deep.equal(['a1', 'a2']);
    await turn();
    expect(done).to.deep.equal(['a1', 'a2', 'a3', 'a4']);
    await turn();
    expect(done).to.deep.equal(['a1', 'a2', 'a3', 'a4', 'a5']);
    await turn();
    turns.add('a', piece('a6'));
    expect(done.at(-1)).to.equal('a6');
  });

  it('take the pieces of each in turn', async () => {
    const turns = new FairTurns(1);
    for (let count = 0; count < 100; count++) turns.add('greedy', piece('greedy'));
    for (const name of ['b', 'c', 'd']) turns.add(name, piece(name));
    for (let turns = 0; turns < 6; turns++) await turn();
    expect(done).to.include.members(['b', 'c', 'd']);
  });

  it('take no more of one than may wait, and still take those of others', async () => {
    const turns = new FairTurns(1);
    const taken = Array.from({ length: 10_000 }, () => turns.add('greedy', piece('greedy')));
    expect(taken.filter(Boolean)).to.have.length(1_001);
    expect(turns.add('b', piece('b'))).to.equal(true);
    await turn();
    await turn();
    expect(done).to.include('b');
  });

  it('look at a thousand pieces in a turn, also where nothing is left to do', async () => {
    const turns = new FairTurns(1);
    let looked = 0;
    const dead = (): boolean => {
      looked++;
      return false;
    };
    turns.add('a', piece('a'));
    for (let key = 0; key < 10; key++) for (let count = 0; count < 1_000; count++) turns.add(`${key}`, dead);
    await turn();
    expect(looked).to.equal(1_000);
    for (let turns = 0; turns < 10; turns++) await turn();
    expect(looked).to.equal(10_000);
  });

  it('do not count pieces of which nothing was left to do', async () => {
    const turns = new FairTurns(1);
    turns.add('a', piece('first'));
    for (let count = 0; count < 900; count++) turns.add('a', () => false);
    turns.add('a', piece('last'));
    await turn();
    expect(done).to.deep.equal(['first', 'last']);
  });
});
