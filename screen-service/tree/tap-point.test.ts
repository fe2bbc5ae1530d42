import { expect } from 'chai';
import { element } from '../testing/element.js';
import { tapPoint } from './tap-point.js';

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
