import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { randomText } from './ids.js';

/** Where the host's name is kept in a data folder. */
export const HOST_ID_FILE = 'host-id';

/** Where the folder's own id is kept. */
export const FOLDER_ID_FILE = 'folder-id';

/**
 * The name under which this data folder's phones are driven: `configured` (HOST_ID), else one made up at the first start and kept
 * in the folder, so that two installations on one machine that share a database do not take each other's phones.
 */
export function hostIdOf(dataDirectory: string, configured: string | undefined): string {
  return configured ?? keptIn(dataDirectory, HOST_ID_FILE, () => `${hostname()}-${randomText(4)}`);
}

/** The id of a data folder, on any host: made at the first use and kept in it. */
export function folderIdOf(dataDirectory: string): string {
  return keptIn(dataDirectory, FOLDER_ID_FILE, () => `folder_${randomText(20)}`);
}

/**
 * The text of a file, which is made when it is not there. It appears whole and on disk, by a hard link, so a crash leaves all of it or
 * nothing; of two that make it at once, both use the one that was first. An empty file is one that an older version left in a crash.
 */
function keptIn(directory: string, name: string, make: () => string): string {
  const path = join(directory, name);
  const kept = read(path);
  if (kept !== undefined && kept !== '') return kept;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (kept === '') rmSync(path, { force: true });
  const own = `${path}.${process.pid}.${randomText(6)}`;
  writeFileSync(own, `${make()}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(own, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(own, { force: true });
  }
  return read(path) ?? '';
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
