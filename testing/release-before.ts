import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import locks from 'fs-native-extensions';
import { installPackages } from './release-packages.js';
import { until } from './until.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = join(ROOT, 'dist', 'release-before');
const NAMED = join(ROOT, 'deploy', 'release-before.json');

/** The release that an upgrade starts from, compiled from its own sources. */
export interface Release {
  version: string;
  /** With `dist/`, as a clone of it after `npm ci` and `npm run build:service`. */
  root: string;
}

const run = promisify(execFile);

/**
 * Returns the release that deploy/release-before.json names, or the reason why it cannot be built here, for `skip`. Its commit may not be
 * in this clone, or packages that it needs cannot be fetched. The first test that needs the release builds it in half a minute, and keeps
 * it beside the compiled files.
 */
export async function releaseBefore(): Promise<Release | string> {
  const { version, commit } = JSON.parse(readFileSync(NAMED, 'utf8')) as { version: string; commit: string };
  if (!(await isInClone(commit)))
    return `needs the commit ${commit} of the release ${version}, which this clone does not have: git fetch origin ${commit}`;
  const root = join(FOLDER, commit);
  mkdirSync(FOLDER, { recursive: true });
  const lock = openSync(join(FOLDER, 'lock'), 'w');
  try {
    // Test files run in several processes.
    await until(() => locks.tryLock(lock), 600_000);
    const noted = join(root, 'built-with');
    const inputs = digestOfInputs();
    if (existsSync(noted) && readFileSync(noted, 'utf8') === inputs) return { version, root };
    rmSync(root, { recursive: true, force: true });
    const missing = await build(commit, root);
    if (missing !== undefined) return missing;
    writeFileSync(noted, inputs);
    return { version, root };
  } finally {
    closeSync(lock);
  }
}

async function isInClone(commit: string): Promise<boolean> {
  return run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT }).then(
    () => true,
    () => false,
  );
}

/** Builds the release as its README says, without its tests. Returns the reason where its packages cannot be had. */
async function build(commit: string, root: string): Promise<string | undefined> {
  mkdirSync(root, { recursive: true });
  const archive = join(FOLDER, `${commit}.tar`);
  await run('git', ['archive', '--output', archive, commit], { cwd: ROOT });
  await run('tar', ['-x', '-f', archive, '-C', root]);
  rmSync(archive);
  const missing = await installPackages(ROOT, root);
  if (missing !== undefined) return missing;
  const exclude = ['**/node_modules', '**/dist', 'panel/src', 'panel/gen', '**/*.test.ts', 'test', '**/testing'];
  writeFileSync(join(root, 'tsconfig.programs.json'), JSON.stringify({ extends: './tsconfig.json', exclude }));
  const words = [
    ['npm', 'run', '--silent', 'proto'],
    [process.execPath, 'node_modules/typescript-native/bin/tsc', '-p', 'tsconfig.programs.json'],
    ['npm', 'run', '--silent', 'panel'],
  ];
  for (const [command = '', ...rest] of words) await run(command, rest, { cwd: root, maxBuffer: 16 * 1024 * 1024 });
  return undefined;
}

/** Returns a digest of what the build depends on beside the commit: the packages that it shares with this checkout, and Node. */
function digestOfInputs(): string {
  const hash = createHash('sha256').update(process.version);
  return hash.update(readFileSync(join(ROOT, 'package-lock.json'))).digest('hex');
}
