import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { needsNamespaces } from '../../phone/emulator/testing/emulator-world.js';
import { startEngine } from '../../testing/container-engine.js';
import { skip } from '../../testing/skip.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * The tests that name no simulation: no faults of simulated phones, no snapshots of running ones, no conditions. Snapshots of phones that
 * are off have tests beside their drivers.
 */
const FILES = ['main-line', 'agent', 'apps', 'files', 'input', 'labels', 'uploads'];
/** On emulators only these: both kinds have the same driver above their engines, and the same stand-in for Android. */
const OF_EMULATORS = ['main-line', 'agent'];

/** The result of a mocha run with the reporter `json`. */
interface Run {
  stats: { passes: number };
  failures: { fullTitle: string; err: { message: string } }[];
}

describe('the REST API on image-based phones', () => {
  describe('in containers of a real engine', function () {
    before(async function () {
      const folder = await mkdtemp(join(tmpdir(), 'engine-'));
      const engine = await startEngine(folder);
      if (typeof engine !== 'string') await engine.close();
      await rm(folder, { recursive: true, force: true });
      if (typeof engine === 'string') skip(this, engine);
    });
    it('does the same as on simulated ones', () => passes('container', FILES));
  });

  describe('in the stand-in of the emulator', function () {
    before(async function () {
      await needsNamespaces(this);
    });
    it('does the same as on simulated ones', () => passes('emulator', OF_EMULATORS));
  });
});

/** Runs files of tests with other phones, in a process of their own. Throws with their failures. */
async function passes(phones: 'container' | 'emulator', names: readonly string[]): Promise<void> {
  const words = ['--no-config', '--exit', '--timeout', '120000', '--reporter', 'json'];
  const files = [
    '--require',
    './dist/testing/temporary-files.js',
    ...names.map((name) => `dist/test/rest/${name}.test.js`),
  ];
  const environment = { ...process.env, TEST_PHONES: phones };
  const options = { cwd: ROOT, env: environment, maxBuffer: 16 * 1024 ** 2, timeout: 600_000 };
  const printed = await new Promise<string>((resolve) =>
    execFile(process.execPath, ['node_modules/mocha/bin/mocha.js', ...words, ...files], options, (_, out) =>
      resolve(out),
    ),
  );
  const { stats, failures } = JSON.parse(printed.slice(printed.indexOf('{'))) as Run;
  expect(failures.map(({ fullTitle, err }) => `${fullTitle}: ${err.message}`)).to.deep.equal([]);
  expect(stats.passes).to.be.greaterThan(names.length * 3);
}
