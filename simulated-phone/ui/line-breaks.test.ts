import { expect } from 'chai';
import { sharedDrawing } from '../../testing/phone/screen-world.js';
import { linePieces } from './line-breaks.js';

const STYLE = { size: 16, weight: 400 } as const;

describe('line breaks', () => {
  const cases: [string, string, string[]][] = [
    ['between words', 'one two', ['one', ' ', 'two']],
    [
      'between ideographs, not before a comma or after a bracket',
      '买牛奶、（面包）',
      ['买', '牛', '奶、', '（面', '包）'],
    ],
    ['where another script begins', '買うabc物', ['買', 'う', 'abc', '物']],
    ['between Korean syllables', '장보기', ['장', '보', '기']],
    ['between Thai words, which have no blanks', 'สวัสดีชาวโลก', ['สวัสดี', 'ชาว', 'โลก']],
    ['not inside other words', 'नमस्ते העברית', ['नमस्ते', ' ', 'העברית']],
  ];
  for (const [where, text, pieces] of cases) {
    it(`are ${where}`, () => {
      expect(linePieces(text)).to.deep.equal(pieces);
    });
  }

  it('lose nothing of a text', () => {
    const text = '日本語の買い物リスト、とても長い文なので折り返します。สวัสดีชาวโลก and more words';
    const { lines } = sharedDrawing.text.layout(text, STYLE, 1, 120);
    expect(lines.length).to.be.greaterThan(3);
    for (const line of lines) {
      expect(text.slice(line.start, line.start + line.text.length)).to.equal(line.text);
      expect(line.width).to.be.at.most(120);
    }
    expect(
      lines
        .map((line) => line.text)
        .join('')
        .replaceAll(' ', ''),
    ).to.equal(text.replaceAll(' ', ''));
  });

  it('know paragraphs that run from right to left by their first letter', () => {
    const { lines } = sharedDrawing.text.layout('abc שלום\n12 שלום abc\nمرحبا', STYLE, 1, 500);
    expect(lines.map(({ rtl }) => rtl)).to.deep.equal([false, true, true]);
  });

  it('put the caret of such a line at its right end, and move it to the left', () => {
    const laid = sharedDrawing.text.layout('שלום', STYLE, 1, 500);
    const [line] = laid.lines;
    expect(sharedDrawing.text.caretX(line!, 0, laid)).to.equal(line!.width);
    expect(sharedDrawing.text.caretX(line!, 4, laid)).to.be.closeTo(0, 0.01);
  });
});
