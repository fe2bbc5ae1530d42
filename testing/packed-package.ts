import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Packs a workspace as `npm pack` does and installs the package, alone, in a program's folder below `folder`.
 * `built`: its dist/ is up to date, so that it is not compiled again. Returns the program's folder and the name of the packed file.
 */
export async function installPacked(
  workspace: string,
  folder: string,
  { built }: { built: boolean },
): Promise<{ program: string; tarball: string }> {
  await succeed(
    'npm',
    ['pack', ...(built ? ['--ignore-scripts'] : []), '--pack-destination', folder],
    join(ROOT, workspace),
  );
  const [tarball = ''] = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  const program = join(folder, 'program');
  mkdirSync(program);
  writeFileSync(join(program, 'package.json'), '{"type": "module", "private": true}');
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts'];
  await succeed('npm', ['install', ...quiet, join(folder, tarball)], program);
  return { program, tarball };
}

/** Runs a program and returns its status and output. */
export function run(command: string, words: string[], cwd: string): Promise<{ status: number; printed: string }> {
  return new Promise((resolve) => {
    execFile(command, words, { cwd, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : 1, printed: stdout + (error === null ? '' : stderr + error.message) });
    });
  });
}

/** Runs a program that must succeed. Returns its output. */
export async function succeed(command: string, words: string[], cwd: string): Promise<string> {
  const { status, printed } = await run(command, words, cwd);
  expect(status, printed).to.equal(0);
  return printed;
}
