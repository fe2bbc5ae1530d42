import type { CopyOptions } from '../files/copy-tree.js';

/**
 * Moves phones from host to host. All of a phone and of its snapshots is in folders of its host. A copy arrives in a folder of its own,
 * which no part of the driver reads. `arrive` puts it among the phones of this host.
 */
export interface PhoneMoves {
  /** Returns what a host must have to run the phone, as `prepare` on another host reads it. */
  needs(phoneId: string): Promise<string>;
  /** Gets what a phone needs to this host, such as its image. Throws PhoneFailure, for the operator, where the host cannot have it. */
  prepare(needs: string, options?: CopyOptions): Promise<void>;
  /** Reads all of a phone that is off, and of its snapshots. Throws PhoneFailure where it has too many files. */
  describe(moved: Moved, options?: CopyOptions): Promise<{ sizeBytes: number; checksum: string }>;
  /** Yields an archive of a phone that is off, and of its snapshots. Snapshots alone can be packed whatever their phone does. */
  pack(moved: Moved, options?: CopyOptions): AsyncIterable<Uint8Array>;
  /**
   * Unpacks an archive into a folder named `arrival`, in place of an earlier one of that name. Returns its checksum, as `describe` does,
   * once it is durable.
   */
  unpack(arrival: string, content: AsyncIterable<Uint8Array>, options?: CopyOptions): Promise<string>;
  /** Puts a phone that was unpacked among the phones of this host. A phone that is there already is left as it is. */
  arrive(arrival: string): Promise<void>;
  /** Returns the names of the folders that were unpacked, or are being unpacked. */
  listArrivals(): Promise<string[]>;
  /** Removes what was unpacked. Nothing of that name is no error. */
  discard(arrival: string): Promise<void>;
}

/** A phone and its snapshots. */
export interface Moved {
  /** Absent: only the snapshots. */
  phoneId?: string;
  snapshotIds: readonly string[];
}
