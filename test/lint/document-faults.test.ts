import { expect } from 'chai';

interface Found {
  fault: string;
  sentence: string;
  line: number;
}

const long = (first: string): string => `${first}${' word'.repeat(30)}.`;
const LONG = long('Many');

describe('the check of documents', () => {
  let documentFaults: (path: string, source: string) => Found[];
  const linesIn = (path: string, source: string): number[] => documentFaults(path, source).map(({ line }) => line);

  before(async () => {
    const path = new URL('../../../scripts/lint/document-faults.js', import.meta.url).href;
    ({ documentFaults } = (await import(path)) as { documentFaults: typeof documentFaults });
  });

  it('finds sentences in paragraphs, headings, lists, quotations and cells of tables', () => {
    const source = [
      ...['# Of phones', '', `Short. ${long('One')}`, '', `- ${long('Two')}`, `  1. ${long('Three')}`, ''],
      ...[`> ${long('Four')}`, '', '| Name | Meaning |', '|---|---|', `| one | ${long('Five')} |`, '| two | Of two. |'],
    ].join('\n');
    expect(linesIn('docs/page.md', source)).to.deep.equal([1, 3, 5, 6, 8, 12, 13]);
  });

  it('reads each cell of a table by itself', () => {
    const half = 'Word '.repeat(16).trim();
    expect(documentFaults('docs/page.md', `| ${half} | ${half} |\n`)).to.deep.equal([]);
  });

  it('leaves out code, and addresses of links', () => {
    const source = ['```sh', LONG, '```', '', 'Then:', '', `    ${LONG}`, '', `See [it](docs/tells.md).`].join('\n');
    expect(documentFaults('docs/page.md', source)).to.deep.equal([]);
  });

  it('reads text that a list indents', () => {
    expect(linesIn('docs/page.md', `1.  One.\n\n    ${LONG}\n`)).to.deep.equal([3]);
  });

  it('finds sentences in the comments of contracts alone', () => {
    const source = [
      ...['syntax = "proto3";', '// Of a phone,', '// which runs.', 'message Phone {', '  // Its name.'],
      ...['  string name = 1; // Of a device.', '  string url = 2 [(example) = "https://x // Of it."];', '}'],
    ].join('\n');
    expect(documentFaults('proto/phone.proto', source).map(({ line, sentence }) => [line, sentence])).to.deep.equal([
      [2, 'Of a phone, which runs.'],
      [6, 'Of a device.'],
    ]);
  });
});
