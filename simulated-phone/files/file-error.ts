/** The failure of a file operation of the phone, by its errno. */
export class PhoneFileError extends Error {
  override name = 'PhoneFileError';
  readonly code: Errno;
  readonly path: string;

  constructor(code: Errno, path: string) {
    super(`${path}: ${ERRNO_TEXT[code].text}`);
    this.code = code;
    this.path = path;
  }

  /** `No such file or directory` */
  get reason(): string {
    return ERRNO_TEXT[this.code].text;
  }

  /** The number on Linux, for version 2 of sync. */
  get errno(): number {
    return ERRNO_TEXT[this.code].number;
  }
}

const ERRNO_TEXT = {
  EPERM: { number: 1, text: 'Operation not permitted' },
  ENOENT: { number: 2, text: 'No such file or directory' },
  EIO: { number: 5, text: 'I/O error' },
  EACCES: { number: 13, text: 'Permission denied' },
  EEXIST: { number: 17, text: 'File exists' },
  ENODEV: { number: 19, text: 'No such device' },
  ENOTDIR: { number: 20, text: 'Not a directory' },
  EISDIR: { number: 21, text: 'Is a directory' },
  EINVAL: { number: 22, text: 'Invalid argument' },
  EMFILE: { number: 24, text: 'Too many open files' },
  EFBIG: { number: 27, text: 'File too large' },
  ENOSPC: { number: 28, text: 'No space left on device' },
  EROFS: { number: 30, text: 'Read-only file system' },
  ENAMETOOLONG: { number: 36, text: 'File name too long' },
  ENOTEMPTY: { number: 39, text: 'Directory not empty' },
  ELOOP: { number: 40, text: 'Too many symbolic links encountered' },
} as const;

export type Errno = keyof typeof ERRNO_TEXT;

/** Returns the phone's error for an error of the host, so that no host path shows. An unexpected error is EIO. */
export function asPhoneFileError(error: unknown, path: string): PhoneFileError {
  if (error instanceof PhoneFileError) return error;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && code in ERRNO_TEXT) return new PhoneFileError(code as Errno, path);
  if (code === 'ENOTSUP') return new PhoneFileError('EPERM', path);
  return new PhoneFileError('EIO', path);
}
