import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { randomText } from './ids.js';

/**
 * The name under which this data folder's phones are driven: `configured` (HOST_ID), else one made up at the first start and kept in
 * the folder, so that two installations on one machine that share a database do not take each other's phones.
 */
export function hostIdOf(dataDirectory: string, configured: string | undefined): string {
  return configured ?? keptText(join(dataDirectory, 'host-id'), () => `${hostname()}-${randomText(4)}`);
}

/** The identity of the data folder itself, whatever the host is called: made at the first start and kept in the folder. */
export function folderIdOf(dataDirectory: string): string {
  return keptText(join(dataDirectory, 'folder-id'), () => randomText(20));
}

/** The one line of a file, which is made whole with `make` when it is not there. The caller has the folder's lock. */
function keptText(path: string, make: () => string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
  const text = make();
  // Under another name first: a crash must not leave half a line, or an empty file.
  writeFileSync(`${path}.new`, `${text}\n`, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
  return text;
}
