import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { parse } from 'yaml';
import { misfitOf } from '../../../replay/format/misfit-of.js';
import { readReplay } from '../../../replay/format/read-replay.js';
import { REPLAY_SHAPE } from '../../../replay/format/replay-shape.js';
import { COMMANDS } from '../table/commands.js';
import { withParts } from './page.js';
import { replaySchema } from './replay-schema.js';

const DOCS = join(import.meta.dirname, '../../../../docs');
const read = (name: string): string => readFileSync(join(DOCS, name), 'utf8');

describe('docs/cli.md', () => {
  it('has the commands, statuses and options that the program has; else run "npm run cli:page"', () => {
    const page = read('cli.md');
    expect(withParts(page, COMMANDS)).to.equal(page);
  });
});

describe('docs/replay.schema.json', () => {
  const isValid = new Ajv2020({ strict: false }).compile(JSON.parse(read('replay.schema.json')) as object);
  const step = (own: object): object => ({ version: 1, steps: [own] });

  it('is what the program checks files by; else run "npm run cli:page"', () =>
    expect(replaySchema()).to.equal(read('replay.schema.json')));

  it('takes the file of docs/replay.md, as the program does', () => {
    const [, sample = ''] = /```yaml\n([^]*?)```/.exec(read('replay.md')) ?? [];
    expect(readReplay(sample).replay.steps).to.have.length(4);
    expect(isValid(parse(sample)), JSON.stringify(isValid.errors)).to.equal(true);
  });

  for (const value of [
    null,
    [],
    {},
    { version: 1, steps: [] },
    { version: '1', steps: [{ wait: {} }] },
    step({ wait: {} }),
    step({ wait: null }),
    step({ wait: {}, tap: { text: 'x' } }),
    step({ expect: { text: 'x' } }),
    step({ tap: { text: 'x', x: 1, y: 2 } }),
    step({ tap: { x: 1 } }),
    step({ tap: { x: 1, y: 2 } }),
    step({ tap: { x: 1.5, y: 2 } }),
    step({ tap: { element: 'e7' } }),
    step({ tap: { text: 'x', role: 'knob' } }),
    step({ pinch: { scale: 0.05 } }),
    step({ pinch: { scale: 1.5 } }),
    step({ swipe: { from: { x: 1, y: 1 } } }),
    step({ swipe: { direction: 'up', target: { text: 'x' } } }),
    step({ wait: {}, picture: '../x.webp' }),
    step({ wait: {}, picture: 'a..b/x.webp' }),
    { ...step({ wait: {} }), variables: { a: {}, b: { default: '', secret: true } } },
    { ...step({ wait: {} }), variables: { '1a': {} } },
    { ...step({ wait: {} }), device: { width: 1 } },
  ])
    it(`judges as the program does: ${JSON.stringify(value)}`, () =>
      expect(isValid(value)).to.equal(misfitOf(value, REPLAY_SHAPE) === undefined));
});
