import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { DEFAULT_APK_LIMITS } from '../../phone/apk/apk-limits.js';
import { ReadBudget } from '../../phone/apk/read-budget.js';
import { ZipFile } from '../../phone/apk/zip-file.js';
import { zipOf, type ZipEntry } from './zip-of.js';

const SIGNED = fileURLToPath(new URL('../../../phone/apk/fixtures/fixture-jar-signed.apk', import.meta.url));
const MEBIBYTE = 1024 ** 2;

/** Returns an app of about `mebibytes` that simulated phones install: a small signed one with random content beside its own. */
export async function largeApk(mebibytes: number): Promise<Buffer> {
  const zip = await ZipFile.open(SIGNED, DEFAULT_APK_LIMITS, new ReadBudget(DEFAULT_APK_LIMITS));
  const entries: ZipEntry[] = [];
  try {
    for (const name of zip.names()) {
      const bytes = await zip.read(name, MEBIBYTE, new ReadBudget(DEFAULT_APK_LIMITS));
      if (bytes !== undefined) entries.push({ name, bytes, stored: name === 'resources.arsc' });
    }
  } finally {
    await zip.close();
  }
  const random = randomBytes(MEBIBYTE);
  for (let at = 0; at < mebibytes; at++) {
    // Each piece has other bytes, so that nothing on the way can leave one out.
    random.writeUInt32LE(at, 0);
    entries.push({ name: `assets/level-${at}.bin`, bytes: Buffer.from(random), stored: true });
  }
  return zipOf(entries);
}
