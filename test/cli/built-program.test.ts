import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../clients/mcp-world.js';

/** Bytes of code that every call may load before that of its command. */
const MAX_START_BYTES = 100_000;

const FOLDER = join(ROOT, 'cli', 'dist');

/** Returns what a built file and the files that it imports at once consist of. Files that are loaded later are no part of it. */
function loadedBy(file: string, loaded = new Map<string, string>()): Map<string, string> {
  if (loaded.has(file)) return loaded;
  const text = readFileSync(join(FOLDER, file), 'utf8');
  loaded.set(file, text);
  for (const [, next = ''] of text.matchAll(/^(?:import|export)\b[^;]*?"\.\/([^"]+)";$/gm)) loadedBy(next, loaded);
  return loaded;
}

describe('the built program', () => {
  it('loads little before the code of a command: no client, no WebSockets, no package', () => {
    const loaded = [...loadedBy('main.js').values()];
    const text = loaded.join('\n');
    expect(text.length).to.be.below(MAX_START_BYTES);
    expect(text).not.to.match(/^import\b[^;]*?"(?:ws|openapi-fetch)";$/m);
    expect(loaded.length).to.be.below(8);
    for (const command of ['list', 'adb', 'run']) expect(text).to.include(`"${command}"`);
  });
});
