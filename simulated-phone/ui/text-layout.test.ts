import { expect } from 'chai';
import { sharedDrawing } from '../../testing/phone/screen-world.js';

const STYLE = { size: 16, weight: 400 } as const;
const layouts = sharedDrawing.text;

describe('text layout', () => {
  it('wraps between words and remembers where each line began', () => {
    const laid = layouts.layout('one two three four five', STYLE, 1, 90);
    expect(laid.lines.length).to.be.greaterThan(1);
    for (const line of laid.lines) {
      expect(line.width).to.be.at.most(90);
      expect('one two three four five'.slice(line.start, line.start + line.text.length)).to.equal(line.text);
    }
  });

  it('breaks a word that is longer than a line', () => {
    const laid = layouts.layout('x'.repeat(100), STYLE, 1, 80);
    expect(laid.lines.map(({ text }) => text).join('')).to.equal('x'.repeat(100));
    expect(laid.width).to.be.at.most(80);
  });

  it('ends in an ellipsis when lines are limited', () => {
    const laid = layouts.layout('one two three four five six seven', STYLE, 1, 90, 2);
    expect(laid.lines).to.have.length(2);
    expect(laid.lines[1]?.text).to.match(/…$/);
    expect(laid.cut).to.equal(true);
  });

  it('keeps line breaks and empty lines', () => {
    expect(layouts.layout('a\n\nb', STYLE, 1, 500).lines.map(({ text, start }) => [text, start])).to.deep.equal([
      ['a', 0],
      ['', 2],
      ['b', 3],
    ]);
  });

  it('grows with the font scale', () => {
    const small = layouts.layout('Text', STYLE, 1, 500);
    const large = layouts.layout('Text', STYLE, 1.3, 500);
    expect(large.width / small.width).to.be.closeTo(1.3, 0.01);
    expect(large.height).to.be.greaterThan(small.height);
  });

  it('never splits an emoji when it cuts', () => {
    const laid = layouts.layout('👩‍🚀👩‍🚀👩‍🚀👩‍🚀', STYLE, 1, 50, 1);
    expect(laid.lines[0]?.text).to.match(/^(👩‍🚀)+…$/u);
  });

  it('returns the same layout from its cache', () => {
    const first = layouts.layout('remembered', STYLE, 1, 200);
    expect(layouts.layout('remembered', STYLE, 1, 200)).to.equal(first);
  });
});
