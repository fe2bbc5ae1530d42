import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning, type ProcessOwner, thisProcess } from './process-owner.js';

/** How often a lock of a dead process is cleared before something else must be wrong. */
const TRIES = 5;

/**
 * Makes this process the only one to use a folder. The lock is a file that names its owner and appears whole, by a hard link, so it
 * is never seen half written; that of a process which no longer runs (after kill -9) is moved aside first, and put back when it
 * turns out that another process had replaced it meanwhile.
 *
 * Throws one line that names the folder and the owner's pid when it is taken.
 */
export function lockFolder(directory: string): { close(): void } {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = join(directory, 'lock');
  const own = join(directory, `.lock.${process.pid}`);
  const me = JSON.stringify(thisProcess());
  writeFileSync(own, me);
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      if (tryLink(own, lock)) return { close: () => release(lock, me) };
      const text = readIfThere(lock);
      if (text === undefined) continue;
      const owner = ownerIn(text);
      if (owner !== undefined && isRunning(owner)) {
        throw new Error(`The data folder ${directory} is in use by another service (process ${owner.pid}).`);
      }
      const aside = `${own}.stale`;
      renameSync(lock, aside);
      if (readFileSync(aside, 'utf8') !== text) tryLink(aside, lock);
      rmSync(aside, { force: true });
    }
    throw new Error(`The data folder ${directory} cannot be locked: remove the file ${lock} if no service uses it.`);
  } finally {
    rmSync(own, { force: true });
  }
}

function release(lock: string, me: string): void {
  if (readIfThere(lock) === me) rmSync(lock, { force: true });
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function ownerIn(text: string): ProcessOwner | undefined {
  try {
    return JSON.parse(text) as ProcessOwner;
  } catch {
    return undefined; // a file of somebody else's: taken for a lock without a living owner
  }
}
