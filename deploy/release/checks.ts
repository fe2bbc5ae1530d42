import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changelogFaults, readChangelog } from './changelog.js';
import type { Release } from './part.js';
import { runProgram } from './run-program.js';
import { findVersions, isBefore } from './versions.js';

/** Checks that the working tree is exactly that of a commit, so that the release can be made again. */
export async function checkTree({ root }: Release): Promise<string> {
  const changed = (await runProgram('git', ['status', '--porcelain'], { cwd: root })).trimEnd();
  if (changed !== '') throw new Error(`Files differ from the commit. Commit or remove them:\n${changed}`);
  const commit = await runProgram('git', ['rev-parse', 'HEAD'], { cwd: root });
  return `clean, at ${commit.trim()}`;
}

/** Checks that the changelog has a dated section with entries for this version, and no entries under Unreleased. */
export async function checkChangelog({ root, version }: Release): Promise<string> {
  const faults = changelogFaults(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return Promise.resolve(`has ${version}`);
}

/** Checks that every file that names the product's version names this one. */
export async function checkVersions({ root, version }: Release): Promise<string> {
  const found = findVersions(root);
  const others = found.filter((one) => one.version !== version).map((one) => `${one.file} has ${one.version}`);
  if (others.length > 0)
    throw new Error(
      `package.json has ${version}. Run npm run release:version -- ${version}, as these differ:\n${others.join('\n')}`,
    );
  return Promise.resolve(`${found.length} places have ${version}`);
}

/**
 * Checks the release from which upgrades are tested. It is the last one before this version in the changelog, and its commit has its
 * version.
 */
export async function checkReleaseBefore({ root, version }: Release): Promise<string> {
  const file = 'deploy/release-before.json';
  const before = JSON.parse(readFileSync(join(root, file), 'utf8')) as { version: string; commit: string };
  if (!isBefore(before.version, version))
    throw new Error(
      `${file} names ${before.version}, which is not before ${version}: the upgrade from the release before is not tested.`,
    );
  const releases = readChangelog(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')).map((section) => section.version);
  const [latest] = releases.filter((one) => one !== 'Unreleased' && isBefore(one, version));
  if (latest !== before.version)
    throw new Error(
      `${file} names ${before.version}; the changelog's release before ${version} is ${latest ?? 'none'}.`,
    );
  const manifest = await runProgram('git', ['show', `${before.commit}:package.json`], { cwd: root });
  const { version: its } = JSON.parse(manifest) as { version: string };
  if (its !== before.version)
    throw new Error(`The commit ${before.commit} of ${file} has the version ${its}, not ${before.version}.`);
  return `${before.version}, ${before.commit.slice(0, 12)}`;
}
