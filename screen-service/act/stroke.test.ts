import { expect } from 'chai';
import type { ScreenElement } from '../tree/elements.js';
import type { Rectangle } from '../shapes/rectangle.js';
import { strokeAcross } from './stroke.js';

describe('a stroke across an area', () => {
  const area = { x: 0, y: 100, width: 200, height: 1000 };
  const inside = (bounds: Rectangle, fields: Partial<ScreenElement> = { states: ['scrollable'] }): ScreenElement => ({
    id: 'e1',
    role: 'list',
    text: '',
    label: '',
    words: [],
    resourceId: '',
    className: '',
    bounds,
    states: [],
    ...fields,
  });

  it('moves the finger that way over its share of it', () => {
    expect(strokeAcross(area, 'up', 0.6, [])).to.deep.equal({ from: { x: 100, y: 900 }, to: { x: 100, y: 300 } });
    expect(strokeAcross(area, 'right', 0.6, [])).to.deep.equal({ from: { x: 40, y: 600 }, to: { x: 160, y: 600 } });
  });

  it('begins beside a list or a slider that is in the area', () => {
    const carousel = inside({ x: 0, y: 700, width: 200, height: 300 });
    const slider = inside({ x: 80, y: 850, width: 40, height: 100 }, { role: 'slider' });
    expect(strokeAcross(area, 'up', 0.6, [slider]).from).to.deep.equal({ x: 60, y: 900 });
    const { from, to } = strokeAcross(area, 'up', 0.6, [carousel]);
    expect(from.y).to.satisfy((y: number) => y < 700 || y >= 1000);
    expect(from.y - to.y).to.equal(600);
    expect(to.y).to.be.at.least(area.y);
  });

  it('is not kept off by views that only surround the area, or that take no touches of their own', () => {
    const around = inside({ x: 0, y: 0, width: 200, height: 1200 });
    const row = inside({ x: 0, y: 850, width: 200, height: 100 }, { states: ['clickable'] });
    expect(strokeAcross(area, 'up', 0.6, [around, row]).from).to.deep.equal({ x: 100, y: 900 });
  });
});
