import { PhoneFileError } from './file-error.js';
import type { HostSpace } from '../../kit/files/host-space.js';
import { bytesOf, measureTree, type TreeUsage } from '../../phone/files/tree-usage.js';

/** Most files, folders and links of a phone. A host has room for a bounded number of files, which empty files would use up. */
export const MAX_ENTRIES = 100_000;

export interface StorageMeterOptions {
  /** The host folder of the phone's files. */
  root: string;
  capacityBytes: number;
  /** Most entries. Absent: MAX_ENTRIES. */
  maxEntries?: number;
  /** The host's room. Absent: it is not measured. */
  hostSpace?: HostSpace | undefined;
}

/** Counts what the files below a host folder take, against the phone's capacity and the room that its host has. */
export class StorageMeter {
  readonly capacityBytes: number;
  readonly #options: StorageMeterOptions;
  #counted: Promise<TreeUsage> | undefined;
  readonly #growth: TreeUsage = { bytes: 0, entries: 0 };

  constructor(options: StorageMeterOptions) {
    this.#options = options;
    this.capacityBytes = options.capacityBytes;
  }

  async usedBytes(): Promise<number> {
    return bytesOf(this.#used(await this.#count()));
  }

  /** Takes `bytes` of the storage for `path`; throws ENOSPC when less is left, on the phone or on its host. */
  reserve(bytes: number, path: string): Promise<void> {
    return this.#take({ bytes, entries: 0 }, path);
  }

  /** Takes the room of one more file, folder or link. Throws ENOSPC as `reserve` does. */
  addEntry(path: string): Promise<void> {
    return this.#take({ bytes: 0, entries: 1 }, path);
  }

  /**
   * Takes the room of a copy of a file that has other names on the host. Only the host's room is checked. A phone's use counts shared files
   * as its own from the beginning, so the copy does not change that use. Throws ENOSPC as `reserve` does.
   */
  async copy(contentBytes: number, path: string): Promise<void> {
    const room = bytesOf({ bytes: contentBytes, entries: 1 });
    if ((await this.#options.hostSpace?.take(room, 1)) === false) throw new PhoneFileError('ENOSPC', path);
  }

  /** Notes by how much the bytes and the number of entries have grown. A negative number means that they have shrunk. */
  grow(bytes: number, entries = 0): void {
    this.#change({ bytes, entries });
  }

  /** Notes that a file, folder or link is gone, with its content. */
  removeEntry(contentBytes = 0): void {
    this.#change({ bytes: -contentBytes, entries: -1 });
  }

  async #take(more: TreeUsage, path: string): Promise<void> {
    const { maxEntries = MAX_ENTRIES, hostSpace } = this.#options;
    const counted = await this.#count();
    const hasRoom = await (hostSpace?.take(bytesOf(more), more.entries) ?? true);
    // No other code runs between here and the point where the room is taken.
    const used = this.#used(counted);
    const isFull =
      bytesOf(used) + bytesOf(more) > this.capacityBytes ||
      used.entries + more.entries > Math.max(maxEntries, used.entries);
    if (!hasRoom || isFull) throw new PhoneFileError('ENOSPC', path);
    this.#change(more);
  }

  #change({ bytes, entries }: TreeUsage): void {
    // Before the first count there is nothing to update, as the walk will find the change.
    if (this.#counted === undefined) return;
    this.#growth.bytes += bytes;
    this.#growth.entries += entries;
  }

  /** Counts once by walking the folder; the count is updated from then on. */
  #count(): Promise<TreeUsage> {
    this.#counted ??= measureTree(this.#options.root).catch((error: unknown) => {
      // The next write counts again.
      this.#counted = undefined;
      throw error;
    });
    return this.#counted;
  }

  #used({ bytes, entries }: TreeUsage): TreeUsage {
    const grown = { bytes: bytes + this.#growth.bytes, entries: entries + this.#growth.entries };
    return { bytes: Math.max(0, grown.bytes), entries: Math.max(0, grown.entries) };
  }
}
