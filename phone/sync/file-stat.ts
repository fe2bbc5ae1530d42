/** What a path of a phone is. */
export type FileKind = 'file' | 'directory' | 'link' | 'other';

/** A file of a phone, as its sync service describes it. */
export interface FileStat {
  kind: FileKind;
  /** Permission bits. Undefined: the phone does not report them. */
  permissions: number | undefined;
  sizeBytes: number;
  /** Whether `sizeBytes` has all of its bits: version 1 of the protocol has 32 of them. */
  isWholeSize: boolean;
  /** Seconds since the epoch, as the phone sent them. */
  mtimeS: number;
}

const TYPE_MASK = 0o170000;

const KINDS: Record<number, FileKind> = { 0o100000: 'file', 0o040000: 'directory', 0o120000: 'link' };

export function fileStat(
  { mode, sizeBytes, mtimeS }: { mode: number; sizeBytes: number; mtimeS: number },
  isWholeSize: boolean,
): FileStat {
  return {
    kind: KINDS[mode & TYPE_MASK] ?? 'other',
    permissions: mode === 0 ? undefined : mode & 0o7777,
    // A phone may send any number, but JSON carries only 53 bits exactly.
    sizeBytes: Math.min(sizeBytes, Number.MAX_SAFE_INTEGER),
    isWholeSize,
    mtimeS,
  };
}
