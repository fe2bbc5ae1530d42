/**
 * Writes Android's binary formats by hand, so that tests can put false numbers into them. Layouts: phone/apk/chunk.ts and the readers
 * beside it.
 */

/** One value of an attribute or a resource: Android's data type, and its 32 bits. */
export interface BuiltValue {
  type: number;
  data: number;
}

export interface BuiltAttribute extends BuiltValue {
  /** Index into the strings. */
  name: number;
}

/** One value that a resource has, in a chunk of its own; `density` in dpi. */
export interface BuiltResource extends BuiltValue {
  density?: number;
}

export function chunk(type: number, header: Buffer, body: Buffer): Buffer {
  const start = Buffer.alloc(8);
  start.writeUInt16LE(type, 0);
  start.writeUInt16LE(8 + header.length, 2);
  start.writeUInt32LE(8 + header.length + body.length, 4);
  return Buffer.concat([start, header, body]);
}

/** A pool of UTF-8 strings: `offsets` lead into `bytes`, where each string begins with its two lengths. */
export function stringPool(offsets: readonly number[], bytes: Buffer): Buffer {
  const header = numbers(offsets.length, 0, 0x100, 28 + offsets.length * 4, 0);
  return chunk(0x0001, header, Buffer.concat([numbers(...offsets), bytes]));
}

/** A pool of strings of at most 127 bytes. */
export function shortStrings(texts: readonly string[]): Buffer {
  const offsets: number[] = [];
  let at = 0;
  const parts = texts.map((text) => {
    offsets.push(at);
    const bytes = Buffer.from(text);
    at += bytes.length + 3;
    return Buffer.concat([Buffer.from([text.length, bytes.length]), bytes, Buffer.alloc(1)]);
  });
  return stringPool(offsets, Buffer.concat(parts));
}

/** A binary XML file. It has strings, the resource ids of the first of these strings, and the tags. */
export function binaryXml(strings: Buffer, resourceIds: readonly number[], tags: readonly Buffer[]): Buffer {
  return chunk(0x0003, Buffer.alloc(0), Buffer.concat([strings, chunk(0x0180, Buffer.alloc(0), numbers(...resourceIds)), ...tags])); // prettier-ignore
}

/** `name`: index into the strings. */
export function startTag(name: number, attributes: readonly BuiltAttribute[] = []): Buffer {
  const own = Buffer.alloc(20);
  own.writeUInt32LE(name, 4);
  own.writeUInt16LE(20, 8);
  own.writeUInt16LE(20, 10);
  own.writeUInt16LE(attributes.length, 12);
  const parts = attributes.map((attribute) => {
    const bytes = numbers(0xffffffff, attribute.name, 0xffffffff, 0, attribute.data);
    bytes.writeUInt8(attribute.type, 15);
    return bytes;
  });
  return chunk(0x0102, Buffer.alloc(8), Buffer.concat([own, ...parts]));
}

export function endTag(): Buffer {
  return chunk(0x0103, Buffer.alloc(8), Buffer.alloc(8));
}

/** A table with one type, 0x7f01. The resources 0x7f010000, 0x7f010001 and so on have the given values. */
export function resourceTable(strings: Buffer, resources: readonly (readonly BuiltResource[])[]): Buffer {
  const chunks = resources.flatMap((values, index) => values.map((value) => typeChunk(index, value)));
  const packageHeader = Buffer.alloc(276);
  packageHeader.writeUInt32LE(0x7f, 0);
  const inner = chunk(0x0200, packageHeader, Buffer.concat(chunks));
  return chunk(0x0002, numbers(1), Buffer.concat([strings, inner]));
}

function typeChunk(index: number, { type, data, density = 0 }: BuiltResource): Buffer {
  const header = Buffer.alloc(76);
  header.writeUInt8(1, 0);
  header.writeUInt32LE(index + 1, 4);
  header.writeUInt32LE(84 + (index + 1) * 4, 8);
  header.writeUInt32LE(64, 12);
  header.writeUInt16LE(density, 12 + 14);
  const offsets = numbers(...Array.from({ length: index }, () => 0xffffffff), 0);
  const entry = Buffer.alloc(16);
  entry.writeUInt16LE(8, 0);
  entry.writeUInt16LE(8, 8);
  entry.writeUInt8(type, 11);
  entry.writeUInt32LE(data, 12);
  return chunk(0x0201, header, Buffer.concat([offsets, entry]));
}

/** The beginning of a PNG file: a header with the given size. There is no picture after it. */
export function pngHeader(width: number, height: number): Buffer {
  const header = Buffer.alloc(33);
  header.write('\x89PNG\r\n\x1a\n', 'latin1');
  header.writeUInt32BE(13, 8);
  header.write('IHDR', 12, 'latin1');
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  header.writeUInt8(8, 24);
  return header;
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, at) => bytes.writeUInt32LE(value, at * 4));
  return bytes;
}
