import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { COMMANDS } from '../table/commands.js';
import { withParts } from './page.js';

describe('docs/cli.md', () => {
  it('has the commands, statuses and options that the program has; else run "npm run cli:page"', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../docs/cli.md'), 'utf8');
    expect(withParts(page, COMMANDS)).to.equal(page);
  });
});
