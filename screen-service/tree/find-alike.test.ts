import { expect } from 'chai';
import { element } from '../testing/element.js';
import type { ScreenElement } from './elements.js';
import { findAlike } from './find-alike.js';

const SCREEN = { width: 720, height: 1280 };

describe('an element like the one that was seen', () => {
  it('is the one with the same text, wherever it moved', () => {
    const seen = element({ text: 'Berlin', y: 100 });
    const now = [element({ text: 'Athens', y: 100 }), element({ text: 'Berlin', y: 900 })];
    expect(findAlike(seen, [seen], now, SCREEN)).to.equal(now[1]);
  });

  describe('that is the only one with its words', () => {
    const row = (name: string, y: number, states: ScreenElement['states'] = []): ScreenElement[] => [
      element({ text: name, y, states }),
      element({ text: 'Delete', y }),
    ];
    const before = row('Milk', 100);

    it('moves with the words beside it, and stays while these change', () => {
      for (const now of [row('Milk', 700), row('0:15', 100)]) {
        expect(findAlike(before[1]!, before, now, SCREEN)).to.equal(now[1]);
      }
    });

    it('is in doubt when it moved and has other words beside it, as when a list shows one row at a time', () => {
      expect(findAlike(before[1]!, before, row('Bread', 130), SCREEN)).to.equal(undefined);
    });

    it('moves also when the field beside it has a new text', () => {
      const [empty, typed] = [row('', 1_000, ['editable']), row('Hello', 600, ['editable'])];
      expect(findAlike(empty[1]!, empty, typed, SCREEN)).to.equal(typed[1]);
    });
  });

  describe('among several with the same words', () => {
    const rows = (...names: string[]): ScreenElement[] =>
      names.flatMap((name, at) => [
        element({ text: name, y: at * 100, states: [] }),
        element({ text: 'Delete', y: at * 100 }),
      ]);
    const before = rows('Milk', 'Bread', 'Salt');

    it('is the one beside the same words, wherever the rows went', () => {
      const now = rows('Tea', 'Bread', 'Milk');
      expect(findAlike(before[1]!, before, now, SCREEN)).to.equal(now[5]);
    });

    it('is gone when its row is gone, although the next row is in its place', () => {
      expect(findAlike(before[1]!, before, rows('Bread', 'Salt'), SCREEN)).to.equal(undefined);
    });

    it('is in doubt when nothing is beside them and all have moved', () => {
      const alike = (...tops: number[]) => tops.map((y) => element({ text: 'Like', y }));
      const likes = alike(100, 400);
      expect(findAlike(likes[1]!, likes, alike(50, 350), SCREEN)).to.equal(undefined);
      const still = alike(100, 400);
      expect(findAlike(likes[1]!, likes, still, SCREEN)).to.equal(still[1]);
    });
  });

  it('is gone when only others of its kind are left', () => {
    const seen = element({ text: 'Berlin', resourceId: 'a:id/row', y: 100 });
    const other = element({ text: 'Paris', resourceId: 'a:id/row', y: 200 });
    const now = [element({ text: 'Paris', resourceId: 'a:id/row', y: 100 })];
    expect(findAlike(seen, [seen, other], now, SCREEN)).to.equal(undefined);
  });

  it('may have other words when its resource id is unique', () => {
    const seen = element({ text: 'Follow', resourceId: 'a:id/follow', y: 100 });
    const now = [element({ text: 'Following', resourceId: 'a:id/follow', y: 120 })];
    expect(findAlike(seen, [seen], now, SCREEN)).to.equal(now[0]);
  });

  it('without words or id must still be where it was', () => {
    const seen = element({ className: 'android.widget.ImageView', y: 100 });
    const near = element({ className: 'android.widget.ImageView', y: 150 });
    const far = element({ className: 'android.widget.ImageView', y: 800 });
    expect(findAlike(seen, [seen], [far, near], SCREEN)).to.equal(near);
    expect(findAlike(seen, [seen], [far], SCREEN)).to.equal(undefined);
  });

  it('may be a field with new text', () => {
    const seen = element({ states: ['editable'], label: 'Title', text: '', y: 100 });
    const now = element({ states: ['editable'], label: 'Title', text: 'Shopping', y: 110 });
    expect(findAlike(seen, [seen], [now], SCREEN)).to.equal(now);
  });
});
