import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomText } from '../text/ids.js';

/**
 * Returns the text of a file, which is made when it is missing. The file appears in one step and complete, by a hard link, so a crash
 * leaves all of it or nothing. When two processes make it at the same time, both use the text of the first. An empty file comes from a
 * crash of an older version, and is made again.
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

/** Returns the text of a kept file; undefined when there is no such file. */
export function readKept(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
