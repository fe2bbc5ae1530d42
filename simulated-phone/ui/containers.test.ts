import { expect } from 'chai';
import { sharedDrawing } from '../../testing/phone/screen-world.js';
import { column, overlay, row } from './containers.js';
import { View } from './view.js';

const context = { text: sharedDrawing.text, fontScale: 1, nowMs: 0 };
const box = (view: View): number[] => [view.x, view.y, view.width, view.height];
const block = (width: number, height: number, share?: number): View =>
  new View({ width, height, ...(share === undefined ? {} : { share }) });

describe('containers', () => {
  it('stack children with gaps, margins and padding', () => {
    const a = block(50, 20);
    const b = new View({ width: 30, height: 10, margin: [5, 0, 0, 7] });
    const stack = column({ padding: 4, gap: 3 }, [a, b]);
    expect(stack.measure(context, 300, 300)).to.deep.equal({ width: 58, height: 46 });
    stack.layout(context, { left: 0, top: 0, width: 58, height: 46 });
    expect(box(a)).to.deep.equal([4, 4, 50, 20]);
    expect(box(b)).to.deep.equal([11, 32, 30, 10]);
  });

  it('share spare room among those that ask for it', () => {
    const fixed = block(40, 20);
    const one = block(0, 20, 1);
    const two = block(0, 20, 2);
    row({}, [one, fixed, two]).layout(context, { left: 0, top: 0, width: 100, height: 20 });
    expect([one.width, fixed.width, two.width]).to.deep.equal([20, 40, 40]);
    expect([one.x, fixed.x, two.x]).to.deep.equal([0, 20, 60]);
  });

  it('place children at the end or in the middle', () => {
    const a = block(20, 10);
    row({ justify: 'end', align: 'center' }, [a]).layout(context, { left: 0, top: 0, width: 100, height: 30 });
    expect(box(a)).to.deep.equal([80, 10, 20, 10]);
    const corner = new View({ width: 10, height: 10, place: ['end', 'end'], margin: 5 });
    overlay({}, [corner]).layout(context, { left: 0, top: 0, width: 100, height: 100 });
    expect(box(corner)).to.deep.equal([85, 85, 10, 10]);
  });

  it('give no room to hidden views', () => {
    const hidden = new View({ width: 10, height: 10, visible: false });
    const seen = block(10, 10);
    column({ gap: 5 }, [hidden, seen]).layout(context, { left: 0, top: 0, width: 100, height: 100 });
    expect(seen.y).to.equal(0);
  });
});
