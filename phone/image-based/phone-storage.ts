import type { OperationOptions, RestoreOptions, TakenSnapshot } from '../driver.js';
import type { ImageBasedPhone } from './phone-folders.js';

/**
 * Where the data of phones and of their snapshots is: in folders of this host, or on volumes of a cluster. Operations of one phone never
 * run at the same time, and each may be repeated after a crash in its middle.
 */
export interface PhoneStorage {
  /** Completes or removes what a crash cut off. Call it first, from the only process that uses the storage. */
  clean(): Promise<void>;
  /** Memory and disk for more phones, MiB. */
  room(): Promise<{ freeMemoryMb: number; freeDiskMb: number }>;
  /**
   * Makes the data of a new phone: empty, or with `snapshotId` a copy with an identity of its own. Throws PhoneFailure if the snapshot was
   * taken of another image.
   */
  make(phone: ImageBasedPhone, snapshotId: string | undefined, options: OperationOptions): Promise<void>;
  /** Replaces the data of a phone that is off. Until the copy is whole, a failure leaves the data as it is. */
  restore(phone: ImageBasedPhone, snapshotId: string, options: RestoreOptions): Promise<void>;
  /** Ids of the phones whose data is outside their folders, those without a folder among them. */
  listOutside(signal?: AbortSignal): Promise<string[]>;
  /** Removes the data of a phone that is outside its folder; also where the folder is gone. */
  removeOutside(phoneId: string): Promise<void>;
  /** Bytes that the phone's data takes. */
  usedBytes(phoneId: string): Promise<number>;
  /** Saves the data of a phone that is off. A snapshot that exists is kept. */
  take(phone: ImageBasedPhone, snapshotId: string, options: OperationOptions): Promise<TakenSnapshot>;
  /** Reads all of a snapshot; throws ApiError unless the snapshot is as it was saved. */
  check(snapshotId: string, options?: OperationOptions): Promise<void>;
  /** Keeps a snapshot a second time. A copy that exists is kept. */
  copySnapshot(snapshotId: string, copyId: string, options: OperationOptions): Promise<TakenSnapshot>;
  /** Returns the digest of the image of a snapshot. Absent: it cannot be read from here. */
  imageOf?(snapshotId: string): Promise<string>;
  listSnapshots(): Promise<string[]>;
  hasSnapshot(snapshotId: string): Promise<boolean>;
  deleteSnapshot(snapshotId: string): Promise<void>;
}
