import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Release, SkippedPart } from './part.js';
import { ProgramFailed, runProgram } from './run-program.js';
import { withService } from './trial-service.js';

const QUIET = ['--quiet', '--retries', '1', '--timeout', '20', '--disable-pip-version-check'];

const USES_WHEEL = `import sys
from importlib.metadata import version
from cloudphone import CloudPhone
with CloudPhone(sys.argv[1], sys.argv[2]) as cloud:
    print(version("cloudphone"), len(list(cloud.phones())))
`;

/** Builds the wheel of the Python client, installs it into a new environment, and calls a service with it. */
export async function releaseWheel({ root, output, version }: Release): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'cloudphone-wheel-'));
  try {
    const source = join(folder, 'source');
    // Files that an earlier build generated there are not copied, as this build makes them anew.
    const isSource = (path: string): boolean => !/(?:models\.py|_sync|__pycache__)$/.test(path);
    cpSync(join(root, 'clients/python'), source, { recursive: true, filter: isSource });
    await run('python3', ['-m', 'venv', join(folder, 'venv')]);
    const python = join(folder, 'venv/bin/python');
    await run(python, ['-m', 'pip', 'wheel', ...QUIET, '--no-deps', '--wheel-dir', output, source]);
    const wheel = join(output, `cloudphone-${version}-py3-none-any.whl`);
    await run(python, ['-m', 'pip', 'install', ...QUIET, wheel]);
    const printed = await withService(root, ({ url, key }) =>
      runProgram(python, ['-c', USES_WHEEL, url, key], { cwd: folder }),
    );
    if (printed.trim() !== `${version} 0`) throw new Error(`The wheel of ${version} printed "${printed.trim()}".`);
    return 'installed, and called a service';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(command: string, words: string[]): Promise<void> {
  try {
    await runProgram(command, words);
  } catch (error) {
    if (error instanceof ProgramFailed && error.isMissing) throw new SkippedPart('needs python3 with venv');
    if (error instanceof ProgramFailed && error.hadNoNetwork)
      throw new SkippedPart('the package index of Python cannot be reached');
    throw error;
  }
}
