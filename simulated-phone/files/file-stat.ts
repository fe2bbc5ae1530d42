export type FileKind = 'file' | 'directory' | 'link' | 'device';

/** One file as `stat` shows it. */
export interface FileStat {
  kind: FileKind;
  /** Permission bits, without the type (0o644). */
  permissions: number;
  sizeBytes: number;
  mtimeMs: number;
  uid: number;
  gid: number;
  ino: number;
  /** Time of the last change of the entry. Absent: the same as `mtimeMs`. */
  ctimeMs?: number;
  /** The target of a link, as it was written. */
  target?: string;
}

const TYPE_BITS: Record<FileKind, number> = {
  file: 0o100000,
  directory: 0o040000,
  link: 0o120000,
  device: 0o020000,
};

/** Returns `st_mode`: type and permissions. */
export function statMode(stat: FileStat): number {
  return TYPE_BITS[stat.kind] | stat.permissions;
}

/** Returns type and permissions as `ls -l` shows them: `-rw-r--r--`. */
export function modeLetters(stat: FileStat): string {
  const type = { file: '-', directory: 'd', link: 'l', device: 'c' }[stat.kind];
  const bits = ['r', 'w', 'x'];
  return (
    type +
    Array.from({ length: 9 }, (_, at) => (stat.permissions & (0o400 >> at) ? (bits[at % 3] ?? '-') : '-')).join('')
  );
}

const USER_NAMES: Record<number, string> = {
  0: 'root',
  1000: 'system',
  1004: 'input',
  1015: 'sdcard_rw',
  1023: 'media_rw',
  1078: 'ext_data_rw',
  2000: 'shell',
  3009: 'readproc',
};

/** Returns the name of a user: `shell` for 2000, `u0_a123` for an app. */
export function userName(uid: number): string {
  if (uid >= 10000 && uid < 20000) return `u0_a${uid - 10000}`;
  return USER_NAMES[uid] ?? String(uid);
}
