import { flushDisk } from '../files/flush-disk.js';
import { flushNames } from '../files/flush-names.js';

/** Makes what was written to the disk durable, before something relies on it. */
export interface Flush {
  /** All that was written to the file system of a folder: one call for thousands of files. */
  content(folder: string): Promise<void>;
  /** The names in a folder, after a rename. */
  names(folder: string): Promise<void>;
}

export const flush: Flush = {
  content: flushDisk,
  names: flushNames,
};
