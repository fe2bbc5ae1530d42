import { notAnApk } from './apk-error.js';
import { ChunkType, chunkAt, chunksIn } from './chunk.js';
import type { ReadBudget } from './read-budget.js';
import { ResourceValue, ValueType } from './resource-value.js';
import { StringPool } from './string-pool.js';

const MAX_DEPTH = 100;
const ATTRIBUTE_BYTES = 20;

/** An element of a binary XML file (manifest, adaptive icon). Its texts are decoded on demand. */
export class XmlElement {
  readonly attributes: XmlAttribute[];
  readonly children: XmlElement[] = [];
  readonly #strings: StringPool;
  readonly #nameIndex: number;

  constructor(strings: StringPool, nameIndex: number, attributes: XmlAttribute[]) {
    this.#strings = strings;
    this.#nameIndex = nameIndex;
    this.attributes = attributes;
  }

  get name(): string {
    return this.#strings.get(this.#nameIndex) ?? '';
  }
}

export class XmlAttribute {
  /** 0 when the attribute has none (`package`, `split`). */
  readonly resourceId: number;
  readonly value: ResourceValue;
  readonly #strings: StringPool;
  readonly #nameIndex: number;

  constructor(strings: StringPool, nameIndex: number, resourceId: number, value: ResourceValue) {
    this.#strings = strings;
    this.#nameIndex = nameIndex;
    this.resourceId = resourceId;
    this.value = value;
  }

  /** The name may be empty in shrunk files, so Android's own attributes are recognized by `resourceId`. */
  get name(): string {
    return this.#strings.get(this.#nameIndex) ?? '';
  }
}

/** Parses a whole file, and returns its root. Throws ApkError when the bytes are not binary XML. */
export function parseBinaryXml(bytes: Buffer, budget: ReadBudget): XmlElement {
  if (bytes.length < 8 || bytes.readUInt16LE(0) !== ChunkType.XML) throw notAnApk('manifest is not binary XML');
  const file = chunkAt(bytes, 0);
  let strings: StringPool | undefined;
  let resourceMap: Buffer = Buffer.alloc(0);
  let root: XmlElement | undefined;
  const open: XmlElement[] = [];
  for (const chunk of chunksIn(file.bytes, file.headerBytes, budget)) {
    if (chunk.type === ChunkType.STRING_POOL) strings ??= new StringPool(chunk, budget);
    else if (chunk.type === ChunkType.XML_RESOURCE_MAP) resourceMap = chunk.bytes.subarray(chunk.headerBytes);
    else if (chunk.type === ChunkType.XML_END_ELEMENT) open.pop();
    else if (chunk.type === ChunkType.XML_START_ELEMENT) {
      if (!strings) throw notAnApk('manifest has no strings');
      if (open.length >= MAX_DEPTH) throw notAnApk('manifest is nested too deeply');
      const element = readElement(chunk.bytes, chunk.headerBytes, { strings, resourceMap, budget });
      open.at(-1)?.children.push(element);
      root ??= element;
      open.push(element);
    }
  }
  if (!root) throw notAnApk('manifest is empty');
  return root;
}

function readElement(
  bytes: Buffer,
  at: number,
  { strings, resourceMap, budget }: { strings: StringPool; resourceMap: Buffer; budget: ReadBudget },
): XmlElement {
  const attributesAt = at + bytes.readUInt16LE(at + 8);
  const stride = Math.max(bytes.readUInt16LE(at + 10), ATTRIBUTE_BYTES);
  const count = bytes.readUInt16LE(at + 12);
  budget.spendWork(count);
  const attributes: XmlAttribute[] = [];
  for (let index = 0; index < count; index++) {
    const from = attributesAt + index * stride;
    const nameIndex = bytes.readUInt32LE(from + 4);
    const resourceId = nameIndex * 4 + 4 <= resourceMap.length ? resourceMap.readUInt32LE(nameIndex * 4) : 0;
    const type = bytes.readUInt8(from + 15);
    const data = bytes.readUInt32LE(from + 16);
    const textIndex = type === ValueType.STRING ? data : bytes.readUInt32LE(from + 8);
    attributes.push(
      new XmlAttribute(strings, nameIndex, resourceId, new ResourceValue(type, data, strings, textIndex)),
    );
  }
  return new XmlElement(strings, bytes.readUInt32LE(at + 4), attributes);
}
