import { open, type RootDatabase } from 'lmdb';
import type { Catalog } from './catalog.js';
import { loadCatalog, storeCatalog } from './catalog-table.js';
import type { FreeSpace } from './free-space.js';
import { GroupCommit } from './group-commit.js';
import { View, type Table, type Tables } from './view.js';
import { Writer } from './writer.js';

/**
 * The address space that is reserved at first. LMDB reserves more when needed, which this size makes rare. Address space takes no memory.
 */
const MAP_BYTES = 4 * 1024 ** 3;

/** The most views that may be open at the same time. Each cursor holds one, and there are fewer cursors than this (see CursorTable). */
const MAX_READERS = 1_024;

/** Documents and indexes in one LMDB environment. Reads take snapshots; writes go through one writer, in groups. */
export class Store {
  readonly #environment: RootDatabase<Buffer, Buffer>;
  readonly #tables: Tables;
  readonly #commits: GroupCommit<Writer>;
  readonly #space: FreeSpace;
  /** The catalog as of the last commit. */
  #catalog: Catalog;

  /** @param directory made when missing */
  static open(directory: string, space: FreeSpace): Store {
    // Without overlapping syncs, a commit is on disk when it returns. With them, it would only be visible by then.
    const environment = open<Buffer, Buffer>({
      path: directory,
      noSubdir: false, // otherwise LMDB takes a folder with a dot in its name for a file
      overlappingSync: false,
      mapSize: MAP_BYTES,
      maxReaders: MAX_READERS,
      maxDbs: 5,
      ...BYTES,
    });
    return new Store(environment, space);
  }

  private constructor(environment: RootDatabase<Buffer, Buffer>, space: FreeSpace) {
    const table = (name: string): Table => environment.openDB<Buffer, Buffer>({ name, ...BYTES });
    this.#environment = environment;
    this.#space = space;
    this.#tables = {
      documents: table('documents'),
      entries: table('entries'),
      catalog: table('catalog'),
      sessions: table('sessions'),
    };
    this.#catalog = loadCatalog(this.#tables.catalog);
    this.#commits = new GroupCommit((batch) => this.#commit(batch));
  }

  /** Copies the store as of the last commit into an empty folder, without its free pages. Reads and writes go on. */
  copyTo(folder: string): Promise<void> {
    return this.#environment.backup(folder, true);
  }

  /** Returns a view of the store as of the last commit. The caller closes the view. */
  view(): View {
    this.#environment.resetReadTxn();
    const transaction = this.#environment.useReadTransaction();
    return new View(this.#tables, this.#catalog, transaction);
  }

  /** Calls `read` with a view and closes it after. */
  read<T>(read: (view: View) => T): T {
    const view = this.view();
    try {
      return read(view);
    } finally {
      view.close();
    }
  }

  /**
   * Runs `work` alone and synchronously. Every earlier write is visible to `work`. The promise resolves once the changes are on disk. When
   * `work` throws, the promise rejects. After a CommandError, the changes that `work` had made are kept; after any other error they are
   * undone.
   */
  write<T>(work: (writer: Writer) => T): Promise<T> {
    return this.#commits.submit(work);
  }

  /** Resolves when no write is under way. */
  idle(): Promise<void> {
    return this.#commits.idle();
  }

  async close(): Promise<void> {
    await this.#commits.idle();
    await this.#environment.close();
  }

  /**
   * Commits a batch. When this throws, nothing of the batch was written. The commit and its flush are synchronous, because the asynchronous
   * commits of the package neither reject nor resolve when the disk is full.
   */
  #commit(batch: (writer: Writer) => void): void {
    this.#space.assertEnough();
    this.#catalog = this.#environment.transactionSync(() => {
      const writer = new Writer(this.#tables, this.#catalog);
      batch(writer);
      if (writer.catalog !== this.#catalog) storeCatalog(this.#tables.catalog, this.#catalog, writer.catalog);
      return writer.catalog;
    });
  }
}

const BYTES = { encoding: 'binary', keyEncoding: 'binary' } as const;
