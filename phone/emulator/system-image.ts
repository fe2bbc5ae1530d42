import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A package of the Android SDK with an Android for the emulator. */
export interface SystemImage {
  /** `android-34` */
  platform: string;
  /** `google_apis` */
  tag: string;
  /** `x86_64` */
  abi: string;
  /** Its folder below ANDROID_HOME, with a slash at the end, as config.ini has it. */
  folder: string;
}

/** Parses `system-images;android-34;google_apis;x86_64`; undefined for other texts. */
export function parseSystemImage(name: string): SystemImage | undefined {
  const word = '([\\w-][\\w.-]{0,63})';
  const found = new RegExp(`^system-images;${word};${word};${word}$`).exec(name);
  if (found === null) return undefined;
  const [, platform = '', tag = '', abi = ''] = found;
  return { platform, tag, abi, folder: `system-images/${platform}/${tag}/${abi}/` };
}

/** Files that describe the build. Two versions of a package differ in these files, or in the size of another one. */
const DESCRIPTIONS = ['source.properties', 'build.prop'];

/** Returns a digest that differs between versions of the image. The images themselves are gigabytes, and are not read. */
export async function digestOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const entry of (await readdir(folder, { withFileTypes: true })).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!entry.isFile()) continue;
    const path = join(folder, entry.name);
    hash.update(`${entry.name} ${(await stat(path)).size}\n`);
    if (DESCRIPTIONS.includes(entry.name)) hash.update(await readFile(path));
  }
  return `sha256:${hash.digest('hex')}`;
}
