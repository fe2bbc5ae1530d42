import type { OperationOptions, TakenSnapshot } from '../driver.js';
import { diskUsage } from '../files/disk-usage.js';
import { measureCapacity } from '../files/measure-capacity.js';
import { DataSnapshots } from './data-snapshots.js';
import type { PhoneEngine } from './engine.js';
import type { MadePhone, PhoneFolders } from './phone-folders.js';
import type { PhoneStorage } from './phone-storage.js';

export interface FolderStorageParts {
  engine: PhoneEngine;
  folders: PhoneFolders;
  /** `snapshots/` in it is the storage's; its disk is the one that is measured. */
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

  /** Empty data stays so: Android, or the engine, fills it at the first start. */
  async make(phone: MadePhone, snapshotId: string | undefined, options: OperationOptions): Promise<void> {
    if (snapshotId === undefined) return;
    await this.#saved.copyTo(snapshotId, phone.digest, phone.data, options);
    await this.#parts.engine.forgetIdentity(phone);
  }

  restore({ phoneId, digest }: MadePhone, snapshotId: string, options: OperationOptions): Promise<void> {
    return this.#parts.folders.replaceData(phoneId, (data) => this.#saved.copyTo(snapshotId, digest, data, options));
  }

  usedBytes(phoneId: string): Promise<number> {
    return diskUsage(this.#parts.folders.path(phoneId));
  }

  take(phone: MadePhone, snapshotId: string, options: OperationOptions): Promise<TakenSnapshot> {
    return this.#saved.take(phone, snapshotId, options);
  }

  check(snapshotId: string, options?: OperationOptions): Promise<void> {
    return this.#saved.check(snapshotId, options);
  }

  listSnapshots(): Promise<string[]> {
    return this.#saved.list();
  }

  deleteSnapshot(snapshotId: string): Promise<void> {
    return this.#saved.delete(snapshotId);
  }
}
