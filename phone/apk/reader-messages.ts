import type { ApkLimits } from './apk-limits.js';
import type { AppPackage } from './app-package.js';
import type { ApkDescription } from './read-apk.js';

/** One file to read. */
export type ReadTask = ReadPackageTask | { kind: 'verified'; file: string };

export interface ReadPackageTask {
  kind: 'package';
  file: string;
  unpackTo: string;
  /** Whether the unpacked APKs leave the host's disk the room that others need (kit/host-space.ts). */
  leavesRoom: boolean;
}

/** To a reader's thread: one at a time. */
export type ToReader = ReadTask & { limits: ApkLimits };

/** From a reader's thread: one for each message to it. `refused`: an ApkError; `failed`: any other error, such as a full disk. */
export type FromReader =
  | { kind: 'read'; result: AppPackage | ApkDescription }
  | { kind: 'refused'; code: string; message: string }
  | { kind: 'failed'; message: string; code: string | undefined; stack: string | undefined };
