import type { BsonDocument } from '../values/document.js';
import type { Path } from '../values/path.js';

/** One collection and its indexes. Immutable; a change makes a new one. */
export interface Collection {
  /** The prefix of its documents' keys. Never used again. */
  readonly id: number;
  readonly namespace: string;
  /** The indexes except the one on `_id`, as the documents themselves are kept in the order of `_id`. */
  readonly indexes: readonly Index[];
}

export interface Index {
  /** The prefix of its entries' keys. Never used again. */
  readonly id: number;
  readonly name: string;
  readonly fields: readonly IndexField[];
  readonly unique: boolean;
  /** Leaves out documents that have none of the fields. */
  readonly sparse: boolean;
  /** Leaves out documents that do not match. */
  readonly partialFilter?: BsonDocument;
  /** Seconds after the date in the (single) field at which the sweeper removes a document. */
  readonly expireAfterSeconds?: number;
}

export interface IndexField {
  /** The field as it is written in the key document. */
  readonly name: string;
  readonly path: Path;
  readonly direction: 1 | -1;
  /** Whether a document ever had an array on this path, and so several entries in the index. It never becomes false again. */
  readonly multikey: boolean;
}

/** All collections, as one snapshot of the store sees them. Immutable. */
export class Catalog {
  readonly #collections: ReadonlyMap<string, Collection>;

  constructor(
    /** The next unused id, for collections and indexes alike. */
    readonly nextId: number,
    collections: Iterable<Collection>,
  ) {
    this.#collections = new Map(Array.from(collections, (collection) => [collection.namespace, collection]));
  }

  get(namespace: string): Collection | undefined {
    return this.#collections.get(namespace);
  }

  /** Returns all collections, sorted by namespace. */
  all(): readonly Collection[] {
    return [...this.#collections.values()].sort((a, b) => (a.namespace < b.namespace ? -1 : 1));
  }

  with(collection: Collection, nextId = this.nextId): Catalog {
    const others = [...this.#collections.values()].filter(({ namespace }) => namespace !== collection.namespace);
    return new Catalog(nextId, [...others, collection]);
  }
}

export const PRIMARY_INDEX_NAME = '_id_';

/** Returns the key of an index as MongoDB shows it: `{a: 1, b: -1}`. */
export function keyPatternOf(index: Pick<Index, 'fields'>): BsonDocument {
  return Object.fromEntries(index.fields.map(({ name, direction }) => [name, direction]));
}
