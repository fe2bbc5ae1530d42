import { expect } from 'chai';
import { createId, firstId, randomHex, randomText } from './ids.js';

describe('random identifiers', () => {
  it('do not repeat, at any length and however often the stock of random bytes is filled again', () => {
    const made = Array.from({ length: 3_000 }, (_, count) => [
      randomHex(16),
      randomText(16),
      randomHex((count % 5) + 12),
    ]);
    expect(new Set(made.flat()).size).to.equal(9_000);
  });

  it('have the length and the characters that were requested', () => {
    for (let count = 0; count < 1_000; count++) {
      expect(randomHex(16)).to.match(/^[0-9a-f]{32}$/);
      expect(randomText(10)).to.match(/^[0-9a-hjkmnp-tv-z]{10}$/);
    }
  });

  it('sort by the time of their creation', () => {
    const ids = [1, 1_000, 1_760_000_000_000, 1_760_000_000_001].map((ms) => createId('job', ms));
    expect([...ids].sort()).to.deep.equal(ids);
  });

  it('sort after the first id of their millisecond, and before the first of the next', () => {
    for (const ms of [0, 31, 32, 1_760_000_000_000, 2 ** 45 - 2]) {
      const id = createId('job', ms);
      expect(firstId('job', ms) < id && id < firstId('job', ms + 1), String(ms)).to.equal(true);
    }
  });
});
