import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { namesRead } from '../../kit/config/names-read.js';
import { SETTING_GROUPS, SETTING_NAMES } from '../../kit/config/setting-list/setting-list.js';
import { settingsPage } from './page.js';
import { READERS } from './readers.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SETTINGS = SETTING_GROUPS.flatMap(({ settings }) => settings);
const readers = Object.entries(READERS).flatMap(([program, all]) => all.map((reader) => [program, reader] as const));

describe('the page of settings', () => {
  it('is what npm run settings writes', () => {
    expect(readFileSync(`${ROOT}docs/settings.md`, 'utf8')).to.equal(settingsPage());
  });

  it('has each variable that a program reads, once, and none that no program reads', () => {
    const read = new Set(readers.flatMap(([, reader]) => [...namesRead(reader)]));
    expect([...read].sort()).to.deep.equal([...SETTING_NAMES].sort());
    expect(new Set(SETTING_NAMES).size).to.equal(SETTING_NAMES.length);
  });

  it('has the defaults that hold where nothing is set', () => {
    // Beside the default: what the settings of a program need to be read at all.
    const needed = {
      MONGODB_URL: 'mongodb://127.0.0.1',
      GATE_TOKEN: 'token',
      DEVICE_SERVICE_URL: 'http://127.0.0.1:7001',
    };
    let compared = 0;
    for (const { name, fallback } of SETTINGS) {
      const value = /^`([^`]+)`$/.exec(fallback)?.[1];
      if (value === undefined) continue;
      for (const [program, reader] of readers) {
        if (!namesRead(reader).has(name)) continue;
        compared += 1;
        expect(
          JSON.stringify(reader({ ...needed, [name]: value }), withoutEnvironment),
          `${program}: ${name}`,
        ).to.equal(JSON.stringify(reader(needed), withoutEnvironment));
      }
    }
    expect(compared).to.be.greaterThan(80);
  });

  it('has the variables of the programs that use the service', () => {
    const files = execFileSync('git', ['ls-files', 'mcp/src', 'check-phones'], { cwd: ROOT })
      .toString()
      .trim()
      .split('\n');
    const read = files.flatMap((file) => [...readFileSync(ROOT + file, 'utf8').matchAll(/environment\['(\w+)'\]/g)]);
    expect(read.length).to.be.greaterThan(3);
    const page = settingsPage();
    for (const [, name] of read) expect(page).to.contain(`| \`${name}\` |`);
  });
});

/** Leaves out the copy of the environment that drivers are given, which differs by the setting itself. */
function withoutEnvironment(key: string, value: unknown): unknown {
  return key === 'environment' ? undefined : value;
}
