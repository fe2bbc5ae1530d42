import { Failure } from './failure.js';

/** What to do about the usual faults of files, by their codes. The texts of the platform name a system call, which helps nobody. */
const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder. Check the path, or make the folder first.',
  ENOTDIR: 'a part of the path is a file. Check the path.',
  EISDIR: 'it is a folder. Give the path of a file.',
  EACCES: 'this user may not use it. Change its permissions, or give another path.',
  EPERM: 'this user may not use it. Change its permissions, or give another path.',
  EROFS: 'the disk cannot be written. Give a path on another one.',
  ENOSPC: 'the disk is full. Make room, or give a path on another one.',
  EDQUOT: 'the disk space of this user is used up. Make room, or give a path on another disk.',
};

/** Returns the failure of a file that cannot be used, with what to do next. */
export function fileFailure(file: string, error: unknown): Failure {
  return new Failure(`${file}: ${fileFault(error)}`);
}

/** Returns why a file cannot be used, as the end of a sentence. */
export function fileFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return (code === undefined ? undefined : FAULTS[code]) ?? error.message;
}
