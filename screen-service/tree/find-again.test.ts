import { expect } from 'chai';
import type { ScreenElement } from './elements.js';
import { findAgain, tapPoint } from './find-again.js';
import { findText } from './find-text.js';

const SCREEN = { width: 720, height: 1280 };

function element(fields: Partial<ScreenElement> & { y?: number }): ScreenElement {
  const { y = 0, ...rest } = fields;
  return {
    id: 'e1',
    role: 'text',
    text: '',
    label: '',
    words: [rest.text ?? '', rest.label ?? ''].filter((words) => words !== ''),
    resourceId: '',
    className: 'android.widget.TextView',
    bounds: { x: 0, y, width: 720, height: 100 },
    states: ['clickable'],
    ...rest,
  };
}

describe('an element found again', () => {
  it('is the one with the same text, wherever it moved', () => {
    const seen = element({ text: 'Berlin', y: 100 });
    const now = [element({ text: 'Athens', y: 100 }), element({ text: 'Berlin', y: 900 })];
    expect(findAgain(seen, [seen], now, SCREEN)).to.equal(now[1]);
  });

  describe('that is the only one with its words', () => {
    const row = (name: string, y: number, states: ScreenElement['states'] = []): ScreenElement[] => [
      element({ text: name, y, states }),
      element({ text: 'Delete', y }),
    ];
    const before = row('Milk', 100);

    it('moves with the words beside it, and stays while these change', () => {
      for (const now of [row('Milk', 700), row('0:15', 100)]) {
        expect(findAgain(before[1]!, before, now, SCREEN)).to.equal(now[1]);
      }
    });

    it('is in doubt when it moved and has other words beside it, as when a list shows one row at a time', () => {
      expect(findAgain(before[1]!, before, row('Bread', 130), SCREEN)).to.equal(undefined);
    });

    it('moves also when the field beside it has a new text', () => {
      const [empty, typed] = [row('', 1_000, ['editable']), row('Hello', 600, ['editable'])];
      expect(findAgain(empty[1]!, empty, typed, SCREEN)).to.equal(typed[1]);
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
      expect(findAgain(before[1]!, before, now, SCREEN)).to.equal(now[5]);
    });

    it('is gone when its row is gone, although the next row is in its place', () => {
      expect(findAgain(before[1]!, before, rows('Bread', 'Salt'), SCREEN)).to.equal(undefined);
    });

    it('is in doubt when nothing is beside them and all have moved', () => {
      const alike = (...tops: number[]) => tops.map((y) => element({ text: 'Like', y }));
      const likes = alike(100, 400);
      expect(findAgain(likes[1]!, likes, alike(50, 350), SCREEN)).to.equal(undefined);
      const still = alike(100, 400);
      expect(findAgain(likes[1]!, likes, still, SCREEN)).to.equal(still[1]);
    });
  });

  it('is gone when only others of its kind are left', () => {
    const seen = element({ text: 'Berlin', resourceId: 'a:id/row', y: 100 });
    const other = element({ text: 'Paris', resourceId: 'a:id/row', y: 200 });
    const now = [element({ text: 'Paris', resourceId: 'a:id/row', y: 100 })];
    expect(findAgain(seen, [seen, other], now, SCREEN)).to.equal(undefined);
  });

  it('may have other words when its resource id is unique', () => {
    const seen = element({ text: 'Follow', resourceId: 'a:id/follow', y: 100 });
    const now = [element({ text: 'Following', resourceId: 'a:id/follow', y: 120 })];
    expect(findAgain(seen, [seen], now, SCREEN)).to.equal(now[0]);
  });

  it('without words or id must still be where it was', () => {
    const seen = element({ className: 'android.widget.ImageView', y: 100 });
    const near = element({ className: 'android.widget.ImageView', y: 150 });
    const far = element({ className: 'android.widget.ImageView', y: 800 });
    expect(findAgain(seen, [seen], [far, near], SCREEN)).to.equal(near);
    expect(findAgain(seen, [seen], [far], SCREEN)).to.equal(undefined);
  });

  it('may be a field with new text', () => {
    const seen = element({ states: ['editable'], label: 'Title', text: '', y: 100 });
    const now = element({ states: ['editable'], label: 'Title', text: 'Shopping', y: 110 });
    expect(findAgain(seen, [seen], [now], SCREEN)).to.equal(now);
  });
});

describe('the point to tap', () => {
  it('is the middle', () => {
    expect(tapPoint(element({}), [])).to.deep.equal({ x: 360, y: 50 });
  });

  it('avoids a button in the middle', () => {
    const row = element({});
    const button = element({ bounds: { x: 300, y: 20, width: 120, height: 60 } });
    expect(tapPoint(row, [row, button])).to.deep.equal({ x: 180, y: 50 });
  });
});

describe('text on the screen', () => {
  const spot = (text: string) => ({ text, bounds: { x: 0, y: 0, width: 1, height: 1 } });
  const spots = [spot('Settings and more'), spot('settings'), spot('Settings')];
  const found = (text: string, exact: boolean) => findText(spots, text, { exact }).map((one) => one.text);

  it('is found in part and in any case, whole matches first', () => {
    expect(found('Settings', false)).to.deep.equal(['Settings', 'settings', 'Settings and more']);
    expect(found('AND', false)).to.deep.equal(['Settings and more']);
  });

  it('is found exactly when that is requested', () => {
    expect(found('Settings', true)).to.deep.equal(['Settings']);
    expect(found('and', true)).to.be.empty;
  });
});
