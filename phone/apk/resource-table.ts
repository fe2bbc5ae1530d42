import { notAnApk } from './apk-error.js';
import { ValueType, type ResourceValue } from './binary-xml.js';
import { ChunkType, chunkAt, chunksIn, type Chunk } from './chunk.js';
import { StringPool } from './string-pool.js';

/** One of the values a resource has for different phones. */
export interface ResourceCandidate {
  value: ResourceValue;
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
const MAX_REFERENCES = 20;

/** `resources.arsc`: finds the values of a resource id. Entries are read when they are looked up. */
export class ResourceTable {
  readonly #strings: StringPool | undefined;
  /** Chunks of values by package and type, the upper 16 bits of a resource id. */
  readonly #types = new Map<number, Chunk[]>();

  constructor(bytes: Buffer) {
    const table = chunkAt(bytes, 0);
    if (table.type !== ChunkType.TABLE) throw notAnApk('resources.arsc is not a resource table');
    for (const chunk of chunksIn(table.bytes, table.headerBytes)) {
      if (chunk.type === ChunkType.STRING_POOL) this.#strings ??= new StringPool(chunk);
      if (chunk.type === ChunkType.TABLE_PACKAGE) this.#addPackage(chunk);
    }
  }

  /** Every value of a resource, references followed. Empty for an unknown id. */
  find(resourceId: number, references = 0): ResourceCandidate[] {
    if (references > MAX_REFERENCES) return [];
    const found: ResourceCandidate[] = [];
    for (const chunk of this.#types.get(resourceId >>> 16) ?? []) {
      const value = this.#valueIn(chunk, resourceId & 0xffff);
      if (!value) continue;
      const config = readConfig(chunk);
      if (value.type === ValueType.REFERENCE || value.type === ValueType.DYNAMIC_REFERENCE)
        for (const target of this.find(value.data, references + 1))
          found.push({ ...target, ...narrower(config, target) });
      else found.push({ value, ...config });
      if (found.length > MAX_CANDIDATES) break;
    }
    return found;
  }

  #addPackage(chunk: Chunk): void {
    const packageId = chunk.bytes.readUInt32LE(8) & 0xff;
    for (const inner of chunksIn(chunk.bytes, chunk.headerBytes)) {
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
    const text = type === ValueType.STRING ? this.#strings?.get(data) : undefined;
    return { type, data, ...(text !== undefined && { text }) };
  }
}

const MAX_CANDIDATES = 2_000;

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
function readConfig({ bytes }: Chunk): Omit<ResourceCandidate, 'value'> {
  const at = 20;
  return {
    language: localeLetters(bytes, at + 8),
    region: localeLetters(bytes, at + 10),
    density: bytes.readUInt16LE(at + 14),
    sdk: bytes.readUInt32LE(at) >= 28 ? bytes.readUInt16LE(at + 24) : 0,
  };
}

/** Two letters; three-letter codes are packed with the high bit set and read as none of those that are preferred. */
function localeLetters(bytes: Buffer, at: number): string {
  const first = bytes.readUInt8(at);
  if (first === 0) return '';
  return first & 0x80 ? '?' : bytes.toString('latin1', at, at + 2);
}

/** A reference for a language or density is more specific than the default that it leads to. */
function narrower(outer: Omit<ResourceCandidate, 'value'>, inner: ResourceCandidate): Omit<ResourceCandidate, 'value'> {
  return {
    language: outer.language || inner.language,
    region: outer.region || inner.region,
    density: inner.density || outer.density,
    sdk: Math.max(outer.sdk, inner.sdk),
  };
}
