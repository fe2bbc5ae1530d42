import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The list of digests, by which a folder is known as that of a release. */
export const CHECKSUMS = 'SHA256SUMS';

/** Writes the digests of the files in a folder, as `sha256sum --check` reads them. Returns their names. */
export async function writeChecksums(folder: string): Promise<string[]> {
  const names = readdirSync(folder)
    .filter((name) => name !== CHECKSUMS)
    .sort();
  let lines = '';
  for (const name of names) {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(join(folder, name))) hash.update(chunk as Buffer);
    lines += `${hash.digest('hex')}  ${name}\n`;
  }
  writeFileSync(join(folder, CHECKSUMS), lines);
  return names;
}
