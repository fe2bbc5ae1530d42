import type { OperationOptions, RestoreOptions, TakenSnapshot } from '../driver.js';
import { diskUsage } from '../files/disk-usage.js';
import { measureCapacity } from '../files/measure-capacity.js';
import { DataSnapshots } from './data-snapshots.js';
import type { PhoneEngine } from './engine.js';
import type { ImageBasedPhone, PhoneFolders } from './phone-folders.js';
import type { PhoneStorage } from './phone-storage.js';

export interface FolderStorageParts {
  engine: PhoneEngine;
  folders: PhoneFolders;
  /** The folder in whose `snapshots/` snapshots are kept. The free room is that of its disk. */
  directory: string;
}

/** The data of phones in their folders on this host, and snapshots beside them. */
export class FolderStorage implements PhoneStorage {
  readonly #parts: FolderStorageParts;
  readonly #saved: DataSnapshots;

  constructor(parts: FolderStorageParts) {
    this.#parts = parts;
    this.#saved = new DataSnapshots(`${parts.directory}/snapshots`);
  }

  clean(): Promise<void> {
    return this.#saved.clean();
  }

  room(): Promise<{ freeMemoryMb: number; freeDiskMb: number }> {
    return measureCapacity(this.#parts.directory);
  }

  /** Fills the data of a new phone from a snapshot. Without one the data stays empty: Android or the engine fills it at the first start. */
  async make(phone: ImageBasedPhone, snapshotId: string | undefined, options: OperationOptions): Promise<void> {
    if (snapshotId === undefined) return;
    await this.#saved.copyTo(snapshotId, [phone.digest], phone.data, options);
    await this.#parts.engine.forgetIdentity(phone);
  }

  restore(phone: ImageBasedPhone, snapshotId: string, options: RestoreOptions): Promise<void> {
    const { phoneId, digest, earlier = [] } = phone;
    const digests = [...earlier, digest];
    return this.#parts.folders.replaceData(phoneId, async (data) => {
      await this.#saved.copyTo(snapshotId, digests, data, options);
      if (options.forgetIdentity === true) await this.#parts.engine.forgetIdentity({ ...phone, data });
    });
  }

  listOutside(): Promise<string[]> {
    return Promise.resolve([]);
  }

  removeOutside(): Promise<void> {
    return Promise.resolve();
  }

  usedBytes(phoneId: string): Promise<number> {
    return diskUsage(this.#parts.folders.path(phoneId));
  }

  take(phone: ImageBasedPhone, snapshotId: string, options: OperationOptions): Promise<TakenSnapshot> {
    return this.#saved.take(phone, snapshotId, options);
  }

  check(snapshotId: string, options?: OperationOptions): Promise<void> {
    return this.#saved.check(snapshotId, options);
  }

  copySnapshot(snapshotId: string, copyId: string, options: OperationOptions): Promise<TakenSnapshot> {
    return this.#saved.copy(snapshotId, copyId, options);
  }

  imageOf(snapshotId: string): Promise<string> {
    return this.#saved.imageOf(snapshotId);
  }

  listSnapshots(): Promise<string[]> {
    return this.#saved.list();
  }

  hasSnapshot(snapshotId: string): Promise<boolean> {
    return this.#saved.has(snapshotId);
  }

  deleteSnapshot(snapshotId: string): Promise<void> {
    return this.#saved.delete(snapshotId);
  }
}
