import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Outputs of npm where its registry cannot be reached. */
const NO_NETWORK = /ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENOTCACHED/;

interface LockFile {
  packages: Record<string, { version?: string; integrity?: string; link?: boolean; resolved?: string }>;
}

/**
 * Gives a checkout of another release its npm packages: links to those of this checkout where the lock files agree on them, else by
 * `npm ci`. Returns the reason if the packages cannot be fetched, else undefined.
 */
export async function installPackages(ours: string, theirs: string): Promise<string | undefined> {
  if (!haveAll(ours, theirs)) return fetchPackages(theirs);
  const folder = join(theirs, 'node_modules');
  mkdirSync(folder);
  const shared = readdirSync(join(ours, 'node_modules')).filter((name) => name !== '@cloudphone' && name !== '.cache');
  for (const name of shared) symlinkSync(join(ours, 'node_modules', name), join(folder, name));
  // The repository's own packages are linked from the checkout of the other release.
  mkdirSync(join(folder, '@cloudphone'));
  for (const [path, { link, resolved = '' }] of Object.entries(packagesOf(theirs)))
    if (link === true) symlinkSync(join(theirs, resolved), join(theirs, path));
  return undefined;
}

/** Whether this checkout has each third-party package of the other release, in the same version. Further packages do no harm. */
function haveAll(ours: string, theirs: string): boolean {
  const has = packagesOf(ours);
  return Object.entries(packagesOf(theirs))
    .filter(([path, { link }]) => path.includes('node_modules/') && link !== true)
    .every(([path, { version, integrity }]) => has[path]?.version === version && has[path]?.integrity === integrity);
}

function packagesOf(root: string): LockFile['packages'] {
  return (JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as LockFile).packages;
}

function fetchPackages(root: string): Promise<string | undefined> {
  const words = ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  return new Promise((resolve, reject) => {
    execFile('npm', words, { cwd: root, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error === null) resolve(undefined);
      else if (NO_NETWORK.test(stdout + stderr))
        resolve('needs the packages of the release before, from the npm registry');
      else reject(new Error(`npm ci of the release before failed: ${stdout}${stderr}`));
    });
  });
}
