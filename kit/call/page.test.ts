import { expect } from 'chai';
import { cutPage, pageOf, pageOfAll } from './page.js';

describe('pages of lists', () => {
  const all = Array.from({ length: 250 }, (_, n) => `item ${String(249 - n).padStart(3, '0')}`);

  /** Follows the cursors to the end. */
  function readAll(limit?: number): string[][] {
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = pageOfAll(all, { limit, cursor }, (item) => item);
      pages.push(page.items);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return pages;
  }

  for (const [limit, lengths] of [
    [undefined, [100, 100, 50]],
    [200, [200, 50]],
    [125, [125, 125]],
    [1, Array.from({ length: 250 }, () => 1)],
  ] as const) {
    it(`have each item once, in order, with limit ${String(limit)}`, () => {
      const pages = readAll(limit);
      expect(pages.map(({ length }) => length)).to.deep.equal(lengths);
      expect(pages.flat()).to.deep.equal([...all].sort());
    });
  }

  it('go on after an item that is gone', () => {
    const first = pageOfAll(['a', 'b', 'c'], { limit: 2 }, (item) => item);
    expect(pageOfAll(['a', 'c'], { cursor: first.nextCursor }, (item) => item)).to.deep.equal({ items: ['c'] });
  });

  it('refuse text that is no cursor', () => {
    for (const cursor of ['', '!', 'a', 'YQ==', '\u{1F600}']) {
      expect(() => pageOf({ cursor }), cursor).to.throw('next_cursor');
    }
  });

  it('have no cursor when the last item is on them', () => {
    expect(cutPage(['a', 'b'], 2, (item) => item)).to.deep.equal({ items: ['a', 'b'] });
  });
});
