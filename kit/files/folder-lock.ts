import { closeSync, constants, ftruncateSync, mkdirSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import locks from 'fs-native-extensions';

/** Another process has the folder. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';

  constructor(
    readonly directory: string,
    /** The owner's own text: `process 7 on web-1`. */
    readonly owner: string,
  ) {
    super(`The data folder ${directory} is in use by another service (${owner}). Stop it, or choose another folder.`);
  }
}

/**
 * Makes this process the only one to use a folder, until it closes the lock or ends, however it ends. The system itself keeps the lock, on
 * the file `lock` in the folder. The lock does not depend on names. So it holds between containers that share a volume, whatever their host
 * names and process ids are. The file stays when the lock is closed; were it removed, one process could lock the old file and another a new
 * one. Its text is for people and error messages only.
 *
 * @throws FolderInUseError, one line that names the folder and its owner; Error, one line, for a folder that cannot be made or written
 */
export function lockFolder(directory: string): { close(): void } {
  const path = join(directory, 'lock');
  let file: number;
  try {
    makeFolder(directory);
    file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  } catch (error) {
    throw new Error(`The data folder ${directory} (DATA_DIR) ${reasonOf(error)} Choose another one.`, { cause: error });
  }
  try {
    if (!locks.tryLock(file)) throw new FolderInUseError(directory, ownerIn(readFileSync(path, 'utf8')));
    ftruncateSync(file);
    writeSync(file, JSON.stringify({ pid: process.pid, host: hostname() }), 0);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  let isOpen = true;
  return {
    close: () => {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}

/**
 * Makes a folder and its parent folders. `recursive` is not used: with it Node 20 tries again for ever in file systems such as /proc.
 */
function makeFolder(directory: string): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const parent = dirname(directory);
  if (parent !== directory) makeFolder(parent);
  mkdirSync(directory, { mode: 0o700 });
}

function reasonOf(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EEXIST':
    case 'ENOTDIR':
      return 'is a file, or is in one.';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'cannot be written by this user.';
    default:
      return `cannot be made (${(error as NodeJS.ErrnoException).code}).`;
  }
}

function ownerIn(text: string): string {
  try {
    const { pid, host } = JSON.parse(text) as { pid: number; host: string };
    return `process ${pid} on ${host}`;
  } catch {
    return 'a process that has just locked it';
  }
}
