import { execFile } from 'node:child_process';
import { createHash, type Hash } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import locks from 'fs-native-extensions';
import { EXTRA_APPS_FOLDER } from '../phone/extra-apps.js';
import { until } from '../until.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FOLDER = join(ROOT, 'dist', 'phone-image');

/**
 * Returns the path of the archive that `npm run phone-image` makes of the compiled files, with the apps of tests. The first test that needs
 * the archive makes it. It is kept beside the compiled files until they change.
 */
export async function phoneImage(): Promise<string> {
  const archive = join(FOLDER, 'phone-image.tar');
  const noted = join(FOLDER, 'inputs');
  mkdirSync(FOLDER, { recursive: true });
  const lock = openSync(join(FOLDER, 'lock'), 'w');
  try {
    // Test files run in several processes.
    await until(() => locks.tryLock(lock), 600_000);
    const inputs = digestOfInputs();
    const isCurrent = existsSync(archive) && existsSync(noted) && readFileSync(noted, 'utf8') === inputs;
    if (!isCurrent) {
      await promisify(execFile)(process.execPath, [
        join(ROOT, 'dist/simulated-phone/image/main.js'),
        archive,
        '--apps',
        EXTRA_APPS_FOLDER,
      ]);
      writeFileSync(noted, inputs);
    }
    return archive;
  } finally {
    closeSync(lock);
  }
}

/** Returns a digest of what the image is made of: the phone's compiled files, its packages by the lock file, and Node's version. */
function digestOfInputs(): string {
  const hash = createHash('sha256').update(process.version);
  for (const file of ['package-lock.json', 'simulated-phone/package.json']) hash.update(readFileSync(join(ROOT, file)));
  for (const folder of ['kit', 'phone', 'proto', 'simulated-phone', 'testing/phone-apps'])
    addScripts(hash, join(ROOT, 'dist', folder));
  return hash.digest('hex');
}

function addScripts(hash: Hash, folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!name.endsWith('.js') || name.endsWith('.test.js')) continue;
    hash.update(`${name}\n`).update(readFileSync(join(folder, name)));
  }
}
