import { notAnApk } from './apk-error.js';
import { ChunkType, chunkAt, chunksIn } from './chunk.js';
import { StringPool } from './string-pool.js';

/** An element of a binary XML file (manifest, adaptive icon). */
export interface XmlElement {
  name: string;
  attributes: XmlAttribute[];
  children: XmlElement[];
}

interface XmlAttribute {
  /** May be empty in shrunk files: `resourceId` counts for Android's own attributes. */
  name: string;
  /** 0 when the attribute has none (`package`, `split`). */
  resourceId: number;
  value: ResourceValue;
}

/** A typed value: `type` is Android's data type, `data` its 32 bits, `text` the string behind it. */
export interface ResourceValue {
  type: number;
  data: number;
  text?: string;
}

export const ValueType = { REFERENCE: 0x01, STRING: 0x03, DYNAMIC_REFERENCE: 0x07, BOOLEAN: 0x12 } as const;

const MAX_DEPTH = 100;
const MAX_ELEMENTS = 200_000;
const ATTRIBUTE_BYTES = 20;

/** Reads the whole file. Throws ApkError when it is not one. */
export function parseBinaryXml(bytes: Buffer): XmlElement {
  if (bytes.length < 8 || bytes.readUInt16LE(0) !== ChunkType.XML) throw notAnApk('manifest is not binary XML');
  const file = chunkAt(bytes, 0);
  let strings: StringPool | undefined;
  let resourceMap: Buffer = Buffer.alloc(0);
  const root: XmlElement = { name: '', attributes: [], children: [] };
  const open = [root];
  let count = 0;
  for (const chunk of chunksIn(file.bytes, file.headerBytes)) {
    if (chunk.type === ChunkType.STRING_POOL) strings ??= new StringPool(chunk);
    else if (chunk.type === ChunkType.XML_RESOURCE_MAP) resourceMap = chunk.bytes.subarray(chunk.headerBytes);
    else if (chunk.type === ChunkType.XML_END_ELEMENT) {
      if (open.length > 1) open.pop();
    } else if (chunk.type === ChunkType.XML_START_ELEMENT) {
      if (!strings) throw notAnApk('manifest has no strings');
      if (open.length > MAX_DEPTH || ++count > MAX_ELEMENTS)
        throw notAnApk('manifest is nested too deeply or too long');
      const element = readElement(chunk.bytes, chunk.headerBytes, strings, resourceMap);
      open.at(-1)?.children.push(element);
      open.push(element);
    }
  }
  const [first] = root.children;
  if (!first) throw notAnApk('manifest is empty');
  return first;
}

function readElement(bytes: Buffer, at: number, strings: StringPool, resourceMap: Buffer): XmlElement {
  const attributesAt = at + bytes.readUInt16LE(at + 8);
  const stride = Math.max(bytes.readUInt16LE(at + 10), ATTRIBUTE_BYTES);
  const count = bytes.readUInt16LE(at + 12);
  const attributes: XmlAttribute[] = [];
  for (let index = 0; index < count; index++) {
    const from = attributesAt + index * stride;
    const nameIndex = bytes.readUInt32LE(from + 4);
    const resourceId = nameIndex * 4 + 4 <= resourceMap.length ? resourceMap.readUInt32LE(nameIndex * 4) : 0;
    const type = bytes.readUInt8(from + 15);
    const data = bytes.readUInt32LE(from + 16);
    const text = strings.get(type === ValueType.STRING ? data : bytes.readUInt32LE(from + 8));
    attributes.push({
      name: strings.get(nameIndex) ?? '',
      resourceId,
      value: { type, data, ...(text !== undefined && { text }) },
    });
  }
  return { name: strings.get(bytes.readUInt32LE(at + 4)) ?? '', attributes, children: [] };
}
