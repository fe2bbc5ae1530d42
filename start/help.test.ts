import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { help } from './help.js';

describe('the help of npm start', () => {
  it('has every setting of the README, with default and meaning', () => {
    const text = help();
    const table = readFileSync(new URL('../../README.md', import.meta.url), 'utf8').split('\n');
    const names = table
      .filter((line) => line.startsWith('| `'))
      .flatMap((line) => line.split('|')[1]!.match(/[A-Z][A-Z_]+/g) ?? []);
    expect(names).to.include.members(['PORT', 'DATA_DIR', 'MONGODB_URL', 'LOG_LEVEL']);
    for (const name of names) expect(text, name).to.match(new RegExp(`^  .*\\b${name}\\b.*\\(.+\\)$`, 'm'));
    expect(text).to.contain('  PORT   (8080)\n      REST. 0 picks a free port');
  });
});
