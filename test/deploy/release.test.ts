import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { changelogFaults } from '../../deploy/release/changelog.js';
import { checkChangelog, checkReleaseBefore, checkTree, checkVersions } from '../../deploy/release/checks.js';
import { makeRelease } from '../../deploy/release/make-release.js';
import { type Part, type Release, SkippedPart } from '../../deploy/release/part.js';
import { findVersions, isBefore, productVersion, writeVersions } from '../../deploy/release/versions.js';
import { ROOT } from '../clients/mcp-world.js';

describe('a release', () => {
  let release: Release;
  let before: string;

  beforeEach(() => {
    const root = mkdtempSync(join(tmpdir(), 'cloudphone-release-'));
    // The files that have the version, as they are in the repository.
    for (const { file } of findVersions(ROOT)) copy(root, file);
    writeVersions(root, '0.1.0');
    write(root, 'CHANGELOG.md', '# Changelog\n\n## 0.1.0 - 2026-01-01\n\n- The first.\n');
    git(root, 'init', '--quiet');
    commit(root);
    before = git(root, 'rev-parse', 'HEAD').trim();
    writeVersions(root, '0.2.0');
    write(
      root,
      'CHANGELOG.md',
      '# Changelog\n\n## 0.2.0 - 2026-02-02\n\n- The second.\n\n## 0.1.0 - 2026-01-01\n\n- The first.\n',
    );
    write(root, 'deploy/release-before.json', JSON.stringify({ version: '0.1.0', commit: before }));
    commit(root);
    release = { root, output: join(root, 'release'), version: '0.2.0', images: {} };
  });
  afterEach(() => rmSync(release.root, { recursive: true, force: true }));

  it('passes the checks of a repository that is ready', async () => {
    expect(await checkTree(release)).to.match(/^clean, at [0-9a-f]{40}$/);
    expect(await checkChangelog(release)).to.equal('has 0.2.0');
    expect(await checkVersions(release)).to.match(/^\d\d places have 0\.2\.0$/);
    expect(await checkReleaseBefore(release)).to.equal(`0.1.0, ${before.slice(0, 12)}`);
  });

  it('is refused with files that differ from the commit, new ones too', async () => {
    write(release.root, 'client/README.md', 'changed');
    write(release.root, 'new.txt', 'new');
    expect(await faultOf(checkTree(release))).to.match(
      /^Files differ from the commit.* M client\/README\.md\n\?\? new\.txt$/s,
    );
  });

  it('is refused without a dated section of its own in the changelog', async () => {
    write(release.root, 'CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n- The second.\n');
    expect(await faultOf(checkChangelog(release))).to.equal(
      'CHANGELOG.md has no section for 0.2.0. Rename "## Unreleased" to "## 0.2.0 - YYYY-MM-DD".',
    );
    for (const [text, fault] of [
      ['## 0.2.0\n\n- A.\n', /has no date/],
      ['## 0.2.0 - 2026-13-40\n\n- A.\n', /has no date/],
      ['## 0.2.0 - 2026-02-02\n', /is empty/],
      ['## Unreleased\n\n- B.\n\n## 0.2.0 - 2026-02-02\n\n- A.\n', /Move them to 0\.2\.0/],
    ] as const)
      expect(changelogFaults(`# Changelog\n\n${text}`, '0.2.0').join('\n'), text).to.match(fault);
    expect(changelogFaults('# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-02-02\n\n- A.\n', '0.2.0')).to.deep.equal(
      [],
    );
    expect(() => changelogFaults('# Changelog\n\n## v0.2\n', '0.2.0')).to.throw('the heading "## v0.2"');
  });

  for (const file of new Set(findVersions(ROOT).map((one) => one.file)))
    it(`is refused where ${file} has another version`, async () => {
      const text = readFileSync(join(release.root, file), 'utf8');
      // Only the product's own: other packages may have the same number.
      writeVersions(release.root, '0.2.1');
      const changed = readFileSync(join(release.root, file), 'utf8');
      writeVersions(release.root, '0.2.0');
      expect(readFileSync(join(release.root, file), 'utf8')).to.equal(text);
      write(release.root, file, changed);
      expect(await faultOf(checkVersions(release))).to.include(`${file} has 0.2.1`);
    });

  it('is refused where the release before is not the one before it', async () => {
    const name = (version: string, sha: string): void =>
      write(release.root, 'deploy/release-before.json', JSON.stringify({ version, commit: sha }));
    const own = git(release.root, 'rev-parse', 'HEAD').trim();
    name('0.2.0', own);
    expect(await faultOf(checkReleaseBefore(release))).to.include('names 0.2.0, which is not before 0.2.0');
    name('0.0.9', before);
    expect(await faultOf(checkReleaseBefore(release))).to.include("the changelog's release before 0.2.0 is 0.1.0");
    name('0.1.0', own);
    expect(await faultOf(checkReleaseBefore(release))).to.include('has the version 0.2.0, not 0.1.0');
    name('0.1.0', '0'.repeat(40));
    expect(await faultOf(checkReleaseBefore(release))).to.match(/git show .* failed/);
  });

  it('runs all checks, builds nothing after a failed one, and counts', async () => {
    const ran: string[] = [];
    const part = (name: string, isCheck: boolean, run: () => Promise<string>): Part => ({
      name,
      isCheck,
      run: () => (ran.push(name), run()),
    });
    const good = async (): Promise<string> => Promise.resolve('good');
    const bad = (error: Error) => (): Promise<string> => Promise.reject(error);
    const build = (): Promise<string> => {
      writeFileSync(join(release.output, 'built'), 'abc');
      return good();
    };
    const lines: string[] = [];
    const make = (parts: Part[]) => makeRelease(release, parts, (line) => lines.push(line));
    const checks = [part('a', true, bad(new Error('a fault'))), part('b', true, good), part('c', false, build)];
    expect(await make(checks)).to.deep.equal({ failed: 1, skipped: 1 });
    expect(ran.splice(0)).to.deep.equal(['a', 'b']);
    expect(lines.splice(0, 3)).to.deep.equal(['FAILED   a: a fault', 'done     b: good', 'skipped  c: a check failed']);

    const builds = [
      part('d', false, bad(new SkippedPart('no engine'))),
      part('e', false, bad(new Error('x'))),
      part('f', false, build),
    ];
    expect(await make(builds)).to.deep.equal({ failed: 1, skipped: 1 });
    expect(ran).to.deep.equal(['d', 'e', 'f']);
    expect(readFileSync(join(release.output, 'SHA256SUMS'), 'utf8')).to.equal(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  built\n',
    );
  });

  it('leaves a folder alone that is not of a release', async () => {
    mkdirSync(release.output, { recursive: true });
    writeFileSync(join(release.output, 'letter.txt'), 'mine');
    const refusal = await makeRelease(release, [], () => undefined).catch(String);
    expect(refusal).to.contain('Name another folder, or empty it');
    expect(readFileSync(join(release.output, 'letter.txt'), 'utf8')).to.equal('mine');
  });

  it('orders versions by their numbers', () => {
    expect(isBefore('0.9.0', '0.10.0')).to.equal(true);
    expect(isBefore('1.0.0', '0.10.0')).to.equal(false);
    expect(isBefore('0.1.0', '0.1.0')).to.equal(false);
    expect(() => writeVersions(release.root, '0.3')).to.throw('"0.3" is not a version');
  });

  it('of this repository has one version everywhere, and names the release before', () => {
    const ran = spawnSync(
      process.execPath,
      [join(ROOT, 'dist/deploy/release/main.js'), '--only', 'versions', '--output', release.output],
      {
        encoding: 'utf8',
      },
    );
    expect(ran.stdout).to.match(/^done {5}versions: \d+ places have /);
    expect(ran.status).to.equal(0);
    const named = JSON.parse(readFileSync(join(ROOT, 'deploy/release-before.json'), 'utf8')) as { version: string };
    expect(isBefore(named.version, productVersion(ROOT))).to.equal(true);
    const wrong = spawnSync(process.execPath, [join(ROOT, 'dist/deploy/release/main.js'), '--only', 'tre'], {
      encoding: 'utf8',
    });
    expect([wrong.status, wrong.stderr]).to.deep.equal([
      1,
      '--only: "tre" is not one of tree, changelog, versions, before, client, cli, mcp, python, chart, bill, image, phone-image.\n',
    ]);
  });
});

function copy(root: string, file: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  cpSync(join(ROOT, file), join(root, file));
}

function write(root: string, file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

function git(root: string, ...words: string[]): string {
  const me = ['-c', 'user.name=test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...me, ...words], { cwd: root, encoding: 'utf8' });
}

function commit(root: string): void {
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '--no-verify', '--message', 'a release');
}

async function faultOf(checked: Promise<string>): Promise<string> {
  return checked.then(
    (good) => `no fault: ${good}`,
    (error: unknown) => (error as Error).message,
  );
}
