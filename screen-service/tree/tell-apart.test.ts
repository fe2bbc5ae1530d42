import { expect } from 'chai';
import { element } from '../testing/element.js';
import type { ScreenElement, TextSpot } from './elements.js';
import { tellApart } from './tell-apart.js';

describe('lines that tell elements apart', () => {
  const edit = (id: string, y: number): ScreenElement =>
    element({ id, role: 'button', text: 'Edit', bounds: { x: 600, y, width: 100, height: 60 } });
  const spot = (text: string, y: number): TextSpot => ({ text, bounds: { x: 20, y, width: 300, height: 40 } });
  const spotOf = ({ text, bounds }: ScreenElement): TextSpot => ({ text, bounds });

  it('end with the heading above each of two links', () => {
    const elements = [edit('e4', 200), edit('e9', 500)];
    const texts = [
      spot('Addresses', 20),
      spot('Home', 120),
      spotOf(elements[0]!),
      spot('Work', 420),
      spotOf(elements[1]!),
    ];
    expect(tellApart(elements, texts)).to.deep.equal([
      'e4 button "Edit" @650,230 (below "Home")',
      'e9 button "Edit" @650,530 (below "Work")',
    ]);
  });

  it('end with the words beside each of the buttons of rows, where these differ', () => {
    const elements = [edit('e4', 200), edit('e9', 300), edit('e12', 400)];
    const texts = [spot('Active', 210), spot('Alice', 205), spot('Active', 310), spot('Bob', 305), spot('Active', 410)];
    const near = texts.map((one) => (one.text === 'Active' ? one : { ...one, bounds: { ...one.bounds, width: 200 } }));
    expect(tellApart(elements, near)).to.deep.equal([
      'e4 button "Edit" @650,230 (beside "Alice")',
      'e9 button "Edit" @650,330 (beside "Bob")',
      'e12 button "Edit" @650,430 (below "Bob")',
    ]);
  });

  it('are as they are where their words differ, or nothing differs near them', () => {
    const [one, other] = [edit('e4', 200), { ...edit('e9', 200), text: 'Share' }];
    expect(tellApart([one, other], [spot('Home', 120)])).to.deep.equal([
      'e4 button "Edit" @650,230',
      'e9 button "Share" @650,230',
    ]);
    expect(tellApart([one, edit('e9', 200)], [spot('Home', 120)])[1]).to.equal('e9 button "Edit" @650,230');
  });

  it('cut a long text', () => {
    const elements = [edit('e4', 200), edit('e9', 500)];
    const [line] = tellApart(elements, [spot(`A ${'very '.repeat(1_000)}long text`, 120), spot('Work', 420)]);
    expect(line).to.have.length.below(100).and.include('…"');
  });
});
