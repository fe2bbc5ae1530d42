import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomText } from './ids.js';

/**
 * The text of a file, which is made when it is not there. It appears whole and on disk, by a hard link, so a crash leaves all of it or
 * nothing; of two that make it at once, both use the one that was first. An empty file is one that an older version left in a crash.
 */
export function keptIn(directory: string, name: string, make: () => string): string {
  const path = join(directory, name);
  const kept = readKept(path);
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
  return readKept(path) ?? '';
}

/** Undefined: it is not there. */
export function readKept(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
