import { execFile } from 'node:child_process';
import { createHash, type Hash } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import locks from 'fs-native-extensions';
import { until } from '../until.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FOLDER = join(ROOT, 'dist', 'phone-image');

/** Returns the archive of `npm run phone-image` for the compiled files. Made by the first test that needs it, and kept beside them. */
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
      await promisify(execFile)(process.execPath, [join(ROOT, 'dist/simulated-phone/image/main.js'), archive]);
      writeFileSync(noted, inputs);
    }
    return archive;
  } finally {
    closeSync(lock);
  }
}

/** The compiled files of the folders that the phone is made of, the packages by the lock file, and Node. */
function digestOfInputs(): string {
  const hash = createHash('sha256').update(process.version);
  for (const file of ['package-lock.json', 'simulated-phone/package.json']) hash.update(readFileSync(join(ROOT, file)));
  for (const folder of ['kit', 'phone', 'proto', 'simulated-phone']) addScripts(hash, join(ROOT, 'dist', folder));
  return hash.digest('hex');
}

function addScripts(hash: Hash, folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!name.endsWith('.js') || name.endsWith('.test.js')) continue;
    hash.update(`${name}\n`).update(readFileSync(join(folder, name)));
  }
}
