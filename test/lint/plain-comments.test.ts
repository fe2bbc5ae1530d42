import { ESLint } from 'eslint';
import { expect } from 'chai';

const RULE = 'sentences/plain-comments';
const words = (count: number): string => `${'Word '.repeat(count).trim()}.`;

/** Each program, and the beginnings of what the rule finds in its comments. */
const cases: [name: string, code: string, faults: string[]][] = [
  ['a sentence of 30 words', `// ${words(30)}`, []],
  ['a sentence of 31 words', `// ${words(31)}`, ['This sentence has 31 words']],
  ['a sentence over two lines', `// ${words(20).slice(0, -1)}\n// ${words(11)}`, ['This sentence has 31 words']],
  ['two comments that are apart', `// ${words(20).slice(0, -1)}\n\n// ${words(11)}`, []],
  ['two comments behind code', `f(); // ${words(20).slice(0, -1)}\nf(); // ${words(11)}`, []],
  ['a comment below one behind code', `f(); // ${words(20).slice(0, -1)}\n// ${words(11)}`, []],
  [
    'a block of documentation',
    `/**\n * ${words(20).slice(0, -1)}\n * ${words(11)}\n */`,
    ['This sentence has 31 words'],
  ],
  ['two paragraphs', `/**\n * ${words(20).slice(0, -1)}\n *\n * ${words(11)}\n */`, []],
  ['two items of a list', `// - ${words(20).slice(0, -1)}\n// - ${words(11)}`, []],
  ['a tag of documentation', `/**\n * ${words(20).slice(0, -1)}\n * @throws ${words(11)}\n */`, []],
  ['a number in front of a sentence', `// Node 20. ${words(30)}`, []],
  ['an abbreviation', `// ${words(20).slice(0, -1)}, e.g. ${words(11)}`, ['This sentence has 32 words']],
  [
    'an ellipsis within a sentence',
    `// ${words(20).slice(0, -1)} (one, two, ...) ${words(11).toLowerCase()}`,
    ['This sentence has 33 words'],
  ],
  ['a span of code', `// ${words(29).slice(0, -1)} \`a b. c\`.`, []],
  ['a span of code over two lines', `// ${words(29).slice(0, -1)} \`a\n// b\`.`, []],
  ['a block of code', `/**\n * ${words(10)}\n *\n *     ${words(31)}\n */`, []],
  ['a fence of code', `/**\n * ${words(10)}\n * \`\`\`\n * ${words(31)}\n * \`\`\`\n */`, []],
  ['a comment in code', `f(/* Of a phone. */);`, ['Begin with the subject']],
  ['"Of" at the beginning', '// Of a phone.', ['Begin with the subject']],
  ['"Of" at a later beginning', '// It is read. Of a phone, all of it.', ['Begin with the subject']],
  ['"of" inside', '// The model of a phone.', []],
  ['"Office" at the beginning', '// Office hours.', []],
  ['"Those" without a noun', '// Those that a crash leaves go.', ['Name the subject']],
  ['"Those" with a noun', '// Those phones run.', []],
  ['"The ones"', '// The ones in front are read.', ['Name the subject']],
  ['"What" without a main verb', '// What it is. Absent: nothing.', ['Name what it is']],
  ['"What" with an article and no main verb', '// What an account may have; 0: no bound.', ['Name what it is']],
  ['"What" as the subject of a verb', '// What it needs is read first.', []],
  ['"What" as the subject of a later verb', '// What links lead to is not checked.', []],
  ['a function that tells', '// It tells whether it runs.', ['Functions return']],
  ['a function that answers where', '// It answers where it runs.', ['Functions return']],
  ['a function that answers', '// It answers.', []],
  ['a word in code', '// `tells` is a name.', []],
  ['two faults in one sentence', `// Of ${words(31)}`, ['Begin with the subject', 'This sentence has 32 words']],
  ['a line for the system', `#!/usr/bin/env node`, []],
  ['texts of the program', `f('Of a phone.');`, []],
];

describe('the lint rule plain-comments', () => {
  let eslint: ESLint;

  before(async () => {
    const path = new URL('../../../scripts/lint/plain-comments.js', import.meta.url).href;
    const { default: rule } = (await import(path)) as { default: never };
    eslint = new ESLint({
      overrideConfigFile: true,
      overrideConfig: [{ plugins: { sentences: { rules: { 'plain-comments': rule } } }, rules: { [RULE]: 'error' } }],
    });
  });

  for (const [name, code, faults] of cases) {
    it(`${faults.length === 0 ? 'accepts' : 'refuses'} ${name}`, async () => {
      const [result] = await eslint.lintText(`${code}\n`);
      const found = result?.messages ?? [];
      expect(found.map(({ ruleId }) => ruleId)).to.deep.equal(faults.map(() => RULE));
      for (const [at, fault] of faults.entries()) expect(found[at]?.message).to.match(new RegExp(`^${fault}`));
    });
  }

  it('reports the lines of the comment', async () => {
    const [result] = await eslint.lintText('f();\n// Of a phone,\n// which runs.\n');
    const [{ line, endLine, message } = {}] = result?.messages ?? [];
    expect([line, endLine]).to.deep.equal([2, 3]);
    expect(message).to.contain('"Of a phone, which runs."');
  });
});
