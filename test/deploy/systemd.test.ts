import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { programs } from '../../deploy/entrypoint/programs.js';
import { isInstalled } from '../../testing/is-installed.js';
import { skip } from '../../testing/skip.js';

const UNITS = new URL('../../../deploy/systemd/', import.meta.url);

/** Most points on systemd's scale from 0 (nothing can be reached) to 100; a service without any hardening has 96. */
const MAX_EXPOSURE = 20;

describe('the units for systemd', () => {
  let folder: string;

  before(function () {
    if (!isInstalled('systemd-analyze')) skip(this, 'needs the program systemd-analyze (Debian package systemd)');
    folder = mkdtempSync(join(tmpdir(), 'systemd-'));
    for (const name of ['cloudphone.service', 'cloudphone@.service']) {
      const text = readFileSync(new URL(name, UNITS), 'utf8');
      // A program that exists here.
      writeFileSync(join(folder, name), text.replace('ExecStart=/usr/local/bin/cloudphone', `ExecStart=${process.execPath}`)); // prettier-ignore
    }
  });
  after(() => folder && rmSync(folder, { recursive: true, force: true }));

  const analyze = (...words: string[]): { status: number | null; stderr: string } =>
    spawnSync('systemd-analyze', words, { encoding: 'utf8', cwd: folder });

  it('are correct, for every service', () => {
    const alone = [...programs.keys()].filter((name) => !['start', 'admin', 'live'].includes(name));
    const units = alone.map((name) => `cloudphone@${name}.service`);
    for (const unit of units) copyFileSync(join(folder, 'cloudphone@.service'), join(folder, unit));
    // An unknown setting is a line on standard error alone.
    expect(analyze('verify', './cloudphone.service', ...units.map((unit) => `./${unit}`))).to.include({
      status: 0,
      stderr: '',
    });
  });

  it('leave services next to no rights', () => {
    for (const unit of ['./cloudphone.service', './cloudphone@gateway.service'])
      expect(analyze('security', '--offline=true', '--no-pager', `--threshold=${MAX_EXPOSURE}`, unit).status).to.equal(
        0,
      );
  });
});
