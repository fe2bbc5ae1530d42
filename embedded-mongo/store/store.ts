import { open, type RootDatabase } from 'lmdb';
import type { Catalog } from './catalog.js';
import { loadCatalog, storeCatalog } from './catalog-table.js';
import type { FreeSpace } from './free-space.js';
import { GroupCommit } from './group-commit.js';
import { View, type Table, type Tables } from './view.js';
import { Writer } from './writer.js';

/** How much address space is set aside at first; LMDB grows it as needed, this only makes that rare. Takes no memory. */
const MAP_BYTES = 4 * 1024 ** 3;

/** How many views may be open at once, with room to spare over the cursors (see CursorTable). */
const MAX_READERS = 1_024;

/** Documents and indexes in one LMDB environment. Reads take snapshots; writes go through one writer, in groups. */
export class Store {
  readonly #environment: RootDatabase<Buffer, Buffer>;
  readonly #tables: Tables;
  readonly #commits: GroupCommit<Writer>;
  readonly #space: FreeSpace;
  /** As of the last commit. */
  #catalog: Catalog;

  /** @param directory made when missing */
  static open(directory: string, space: FreeSpace): Store {
    // A commit is on disk when it returns; with overlapping syncs it would only be visible.
    const environment = open<Buffer, Buffer>({
      path: directory,
      noSubdir: false, // or a dot in the folder's name makes LMDB take it for a file
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

  /** The store as of the last commit. The caller closes the view. */
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
   * Runs `work` alone, with every earlier write visible to it, and resolves once its changes are on disk. It runs
   * synchronously to its end. A CommandError it throws rejects the promise and keeps its writes up to then; any other
   * error undoes its writes.
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
   * Throws when nothing of the batch was written. Synchronous, flush included: the asynchronous commits of the package
   * neither reject nor resolve when the disk is full.
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
