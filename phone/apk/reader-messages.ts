import type { PhoneTraits } from '../splits/phone-traits.js';
import type { ApkLimits } from './apk-limits.js';
import type { AppPackage } from './app-package.js';
import type { ApkDescription } from './read-apk.js';

/** One file to read. */
export type ReadTask = ReadPackageTask | { kind: 'verified' | 'bundle'; file: string };

export interface ReadPackageTask {
  kind: 'package';
  file: string;
  unpackTo: string;
  /** As of `readAppPackage`. */
  phone?: PhoneTraits;
  /** Whether unpacking must leave free the part of the host's disk that others need (kit/files/host-space.ts). */
  leavesRoom: boolean;
}

/** A message to a reader's thread, which gets one at a time. */
export type ToReader = ReadTask & { limits: ApkLimits };

/** The reply of a reader's thread to a message. `refused`: an ApkError; `failed`: any other error, such as a full disk. */
export type FromReader =
  | { kind: 'read'; result: AppPackage | ApkDescription | boolean }
  | { kind: 'refused'; code: string; message: string }
  | { kind: 'failed'; message: string; code: string | undefined; stack: string | undefined };
