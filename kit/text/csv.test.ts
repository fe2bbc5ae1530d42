import { expect } from 'chai';
import { csvTable } from './csv.js';

describe('a table as CSV', () => {
  it('quotes what would break a line or a cell', () => {
    expect(csvTable(['a', 'b'], [['one, two', 'say "hi"\nthere']])).to.equal(
      'a,b\r\n"one, two","say ""hi""\nthere"\r\n',
    );
  });

  it('leaves no text that a spreadsheet would run, and numbers as they are', () => {
    for (const formula of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1']) {
      const [, line = ''] = csvTable(['a'], [[formula]]).split('a\r\n');
      expect(line.replace(/^"/, '').startsWith("'"), JSON.stringify(formula)).to.equal(true);
    }
    expect(csvTable(['a'], [[{ number: '-0.004' }]])).to.equal('a\r\n-0.004\r\n');
  });
});
