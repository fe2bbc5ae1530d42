import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './pages.js';

/** Folders that commands write into, as a checkout has them: real ones here, with links to what is in them. */
const WRITTEN = ['dist'];

/** A folder that looks like a checkout in which everything was built, for commands to be run in. */
export interface Checkout {
  path: string;
  /** Names of files that were not there at first and that git does not ignore. */
  leftFiles(): string[];
  remove(): void;
}

export function makeCheckout(): Checkout {
  const path = mkdtempSync(join(tmpdir(), 'cloudphone-checkout-'));
  for (const name of readdirSync(ROOT)) {
    if (['data', '.git', ...WRITTEN].includes(name)) continue;
    symlinkSync(join(ROOT, name), join(path, name));
  }
  for (const folder of WRITTEN) {
    mkdirSync(join(path, folder));
    for (const name of readdirSync(join(ROOT, folder))) symlinkSync(join(ROOT, folder, name), join(path, folder, name));
  }
  const before = new Set(readdirSync(path));
  return {
    path,
    leftFiles: () => readdirSync(path).filter((name) => !before.has(name) && !isIgnored(name)),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** Whether git ignores a file or a folder of this name at the root of the repository. */
function isIgnored(name: string): boolean {
  try {
    execFileSync('git', ['check-ignore', '--quiet', '--no-index', `${name}/`], { cwd: ROOT });
    return true;
  } catch (error) {
    if ((error as { status?: number }).status === 1) return false;
    throw error;
  }
}
