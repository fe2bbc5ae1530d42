import { notAnApk } from './apk-error.js';
import { ChunkType, chunkAt, chunksIn, type Chunk } from './chunk.js';
import type { ReadBudget } from './read-budget.js';
import { ResourceValue, ValueType } from './resource-value.js';
import { StringPool } from './string-pool.js';

/** One of the values a resource has for different phones. */
export interface ResourceCandidate extends Configuration {
  value: ResourceValue;
}

/** The phones that a value is for. */
interface Configuration {
  /** `en`, or empty for the default. */
  language: string;
  region: string;
  /** dpi; 0 for the default, 0xfffe for any. */
  density: number;
  sdk: number;
}

const SPARSE = 0x01;
const OFFSET16 = 0x02;
const ENTRY_COMPLEX = 0x0001;
const ENTRY_COMPACT = 0x0008;
const NO_ENTRY = 0xffffffff;

const ANY: Configuration = { language: '', region: '', density: 0, sdk: 0 };

/** `resources.arsc`: finds the values of a resource id. Entries are read when they are looked up. */
export class ResourceTable {
  readonly #strings: StringPool | undefined;
  /** Chunks of values by package and type, the upper 16 bits of a resource id. */
  readonly #types = new Map<number, Chunk[]>();
  readonly #budget: ReadBudget;

  constructor(bytes: Buffer, budget: ReadBudget) {
    this.#budget = budget;
    const table = chunkAt(bytes, 0);
    if (table.type !== ChunkType.TABLE) throw notAnApk('resources.arsc is not a resource table');
    for (const chunk of chunksIn(table.bytes, table.headerBytes, budget)) {
      if (chunk.type === ChunkType.STRING_POOL) this.#strings ??= new StringPool(chunk, budget);
      if (chunk.type === ChunkType.TABLE_PACKAGE) this.#addPackage(chunk);
    }
  }

  /**
   * Returns the values of a resource, and of those that it refers to. Empty for an unknown id. Each resource is visited once, the nearest
   * first: a second visit would add no new value, and a circle of references would never end.
   */
  find(resourceId: number): ResourceCandidate[] {
    const found: ResourceCandidate[] = [];
    const visited = new Set([resourceId]);
    const waiting: { id: number; config: Configuration }[] = [{ id: resourceId, config: ANY }];
    for (const { id, config: outer } of waiting) {
      for (const chunk of this.#types.get(id >>> 16) ?? []) {
        this.#budget.spendWork(1);
        const value = this.#valueIn(chunk, id & 0xffff);
        if (!value) continue;
        const config = narrower(outer, readConfig(chunk));
        if (!value.isReference) found.push({ value, ...config });
        else if (!visited.has(value.data)) {
          visited.add(value.data);
          waiting.push({ id: value.data, config });
        }
      }
    }
    return found;
  }

  #addPackage(chunk: Chunk): void {
    const packageId = chunk.bytes.readUInt32LE(8) & 0xff;
    for (const inner of chunksIn(chunk.bytes, chunk.headerBytes, this.#budget)) {
      if (inner.type !== ChunkType.TABLE_TYPE) continue;
      const key = (packageId << 8) | inner.bytes.readUInt8(8);
      const chunks = this.#types.get(key) ?? [];
      chunks.push(inner);
      this.#types.set(key, chunks);
    }
  }

  #valueIn({ bytes, headerBytes }: Chunk, index: number): ResourceValue | undefined {
    const offset = entryOffset(bytes, headerBytes, index);
    if (offset === undefined) return undefined;
    const at = bytes.readUInt32LE(16) + offset;
    const flags = bytes.readUInt16LE(at + 2);
    if (flags & ENTRY_COMPACT) return this.#value(flags >>> 8, bytes.readUInt32LE(at + 4));
    // Styles and arrays are of no use here.
    if (flags & ENTRY_COMPLEX) return undefined;
    const valueAt = at + bytes.readUInt16LE(at);
    return this.#value(bytes.readUInt8(valueAt + 3), bytes.readUInt32LE(valueAt + 4));
  }

  #value(type: number, data: number): ResourceValue {
    return new ResourceValue(type, data, type === ValueType.STRING ? this.#strings : undefined, data);
  }
}

function entryOffset(bytes: Buffer, headerBytes: number, index: number): number | undefined {
  const flags = bytes.readUInt8(9);
  const count = bytes.readUInt32LE(12);
  if (flags & SPARSE) {
    for (let low = 0, high = Math.min(count, bytes.length >>> 2) - 1; low <= high;) {
      const middle = (low + high) >>> 1;
      const at = headerBytes + middle * 4;
      const found = bytes.readUInt16LE(at);
      if (found === index) return bytes.readUInt16LE(at + 2) * 4;
      if (found < index) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }
  if (index >= count) return undefined;
  if (flags & OFFSET16) {
    const offset = bytes.readUInt16LE(headerBytes + index * 2);
    return offset === 0xffff ? undefined : offset * 4;
  }
  const offset = bytes.readUInt32LE(headerBytes + index * 4);
  return offset === NO_ENTRY ? undefined : offset;
}

/** The configuration is in the header, after the 20 bytes of numbers. */
function readConfig({ bytes }: Chunk): Configuration {
  const at = 20;
  return {
    language: localeLetters(bytes, at + 8),
    region: localeLetters(bytes, at + 10),
    density: bytes.readUInt16LE(at + 14),
    sdk: bytes.readUInt32LE(at) >= 28 ? bytes.readUInt16LE(at + 24) : 0,
  };
}

/** Returns the two letters of a language or region. A code of three letters is packed, with its high bit set; it is read as `?`. */
function localeLetters(bytes: Buffer, at: number): string {
  const first = bytes.readUInt8(at);
  if (first === 0) return '';
  return first & 0x80 ? '?' : bytes.toString('latin1', at, at + 2);
}

/** Returns the phones that a value is for that a reference leads to. The reference's language comes first, and the value's own density. */
function narrower(outer: Configuration, inner: Configuration): Configuration {
  return {
    language: outer.language || inner.language,
    region: outer.region || inner.region,
    density: inner.density || outer.density,
    sdk: Math.max(outer.sdk, inner.sdk),
  };
}
