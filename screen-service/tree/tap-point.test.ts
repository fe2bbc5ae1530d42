import { expect } from 'chai';
import { element } from '../testing/element.js';
import { childrenPressed, tapPoint } from './tap-point.js';

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

describe('what a press on an element would hit in place of it', () => {
  const list = element({ role: 'list', states: ['scrollable'], bounds: { x: 0, y: 0, width: 720, height: 900 } });
  const text = element({ y: 100, text: 'More', states: [] });
  const row = element({ y: 300, text: 'Row' });

  it('is everything inside of a list or a page that scrolls', () => {
    expect(childrenPressed(list, [list, text, row])).to.deep.equal([text, row]);
  });

  it('is what can be used inside of a group, and not its texts', () => {
    const group = { ...list, states: [] };
    expect(childrenPressed(group, [group, text, row])).to.deep.equal([row]);
    expect(childrenPressed(group, [group, text])).to.deep.equal([]);
  });

  it('is nothing where the element takes the press itself, or is empty', () => {
    const card = element({ ...list, states: ['clickable', 'scrollable'] });
    expect(childrenPressed(card, [card, row])).to.deep.equal([]);
    expect(childrenPressed(list, [list])).to.deep.equal([]);
  });
});
