import type { Database, RangeOptions, Transaction } from 'lmdb';
import type { Catalog, Collection } from './catalog.js';
import { MAX_KEY_BYTES } from './index-entries.js';

/** The tables of the store. Keys and values are bytes. */
export interface Tables {
  /** Collection id (4 bytes), `_id` as an index value -> the document in BSON. */
  readonly documents: Table;
  /** Index id (4 bytes), the indexed values and, unless the index is unique, the `_id` -> the `_id` as an index value. */
  readonly entries: Table;
  /** See catalog-table.ts. */
  readonly catalog: Table;
  /** See retried-writes.ts. */
  readonly sessions: Table;
}

export type Table = Database<Buffer, Buffer>;

/** The keys from `start` on that are below `end`. */
export interface Interval {
  readonly start: Buffer;
  readonly end: Buffer;
}

/** The store at one moment: nothing committed later shows. Close it, or the pages it sees cannot be used again. */
export class View {
  readonly #transaction: Transaction | undefined;

  constructor(
    protected readonly tables: Tables,
    protected currentCatalog: Catalog,
    /** Absent inside a write, where reads see the writes before them. */
    transaction?: Transaction,
  ) {
    this.#transaction = transaction;
  }

  get catalog(): Catalog {
    return this.currentCatalog;
  }

  close(): void {
    this.#transaction?.done();
  }

  document(collection: Collection, idKey: Uint8Array): Buffer | undefined {
    return this.documentAt(documentKey(collection, idKey));
  }

  /** The document under a whole key of `documents`. */
  documentAt(key: Buffer): Buffer | undefined {
    if (key.length > PREFIX_BYTES + MAX_KEY_BYTES) return undefined;
    return this.tables.documents.get(key, this.#options());
  }

  /** The documents in an interval of `documents`. */
  *documents({ start, end }: Interval, reverse = false): Generator<{ idKey: Buffer; bytes: Buffer }> {
    for (const { key, value } of this.tables.documents.getRange(this.#range(start, end, reverse)))
      yield { idKey: key.subarray(PREFIX_BYTES), bytes: value };
  }

  /** The ids in an interval of `entries`, in the order of the index; one may come up repeatedly. */
  *entries({ start, end }: Interval, reverse = false): Generator<Buffer> {
    for (const { value } of this.tables.entries.getRange(this.#range(start, end, reverse))) yield value;
  }

  #options(): { transaction?: Transaction } {
    return this.#transaction === undefined ? {} : { transaction: this.#transaction };
  }

  #range(from: Buffer, to: Buffer, reverse: boolean): RangeOptions {
    const [start, end] = [comparable(from), comparable(to)];
    // LMDB starts from `start` also when it reads backwards, so the ends change places. The lower end alone still belongs to the range.
    return reverse
      ? { start: end, exclusiveStart: true, end: start, inclusiveEnd: true, reverse, ...this.#options() }
      : { start, end, ...this.#options() };
  }
}

/** The id that the keys of one collection or index begin with. */
export const PREFIX_BYTES = 4;

export function tablePrefix(id: number): Buffer {
  const prefix = Buffer.allocUnsafe(PREFIX_BYTES);
  prefix.writeUInt32BE(id);
  return prefix;
}

/** One byte more than the longest key: no key that is stored is that long. */
const BOUND_BYTES = PREFIX_BYTES + MAX_KEY_BYTES + 1;

/** Returns a bound that LMDB accepts: one that is longer than every stored key is cut off. */
function comparable(bound: Buffer): Buffer {
  return bound.length > BOUND_BYTES ? bound.subarray(0, BOUND_BYTES) : bound;
}

export function documentKey(collection: Collection, idKey: Uint8Array): Buffer {
  const key = Buffer.allocUnsafe(PREFIX_BYTES + idKey.length);
  key.writeUInt32BE(collection.id);
  key.set(idKey, PREFIX_BYTES);
  return key;
}
