import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { releaseClient } from '../../deploy/release/npm-packages.js';
import { productVersion } from '../../deploy/release/versions.js';
import { ROOT } from '../clients/mcp-world.js';

describe('the parts of a release that need no engine', function () {
  let output: string;
  beforeEach(() => (output = mkdtempSync(join(tmpdir(), 'cloudphone-release-'))));
  afterEach(() => rmSync(output, { recursive: true, force: true }));

  it('are built, tried, and listed with their digests', () => {
    const words = [
      join(ROOT, 'dist/deploy/release/main.js'),
      '--only',
      'client,cli,mcp,chart,bill',
      '--output',
      output,
    ];
    const { status, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    expect(status, stdout).to.equal(0);
    expect(stdout).to.match(/^done {5}client: installed, and called a service$/m);
    expect(stdout).to.match(/^done {5}cli: installed, and called a service$/m);
    expect(stdout).to.match(/^done {5}mcp: installed, with \d+ tools$/m);
    expect(stdout).to.match(/^(?:done {5}chart: linted, packed, rendered|skipped {2}chart: needs helm.*)$/m);
    expect(stdout).to.match(/^done {5}bill: \d{3} components$/m);
    const version = productVersion(ROOT);
    expect(readdirSync(output)).to.include.members([
      ...[`cloudphone-client-${version}.tgz`, `cloudphone-cli-${version}.tgz`, `cloudphone-mcp-${version}.tgz`],
      `cloudphone-${version}.cdx.json`,
    ]);
    execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: output });
  });

  it('fail where a package is of another version than the release', async () => {
    const fault = await releaseClient({ root: ROOT, output, version: '9.9.9', images: {} }).catch(String);
    expect(fault).to.include('cloudphone-client-9.9.9.tgz was not packed').and.include('another version');
  });
});
