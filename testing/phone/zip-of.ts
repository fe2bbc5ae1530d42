import { deflateRawSync, crc32 } from 'node:zlib';

export interface ZipEntry {
  name: string;
  bytes: Buffer;
  /** The size that the entry declares. Absent: the true size. */
  claimedBytes?: number;
  /** The place of the data that the entry declares. Absent: the true place. */
  claimedOffset?: number;
  /** Whether the entry is stored without compression. */
  stored?: boolean;
}

/** Builds a zip file byte by byte, so that its numbers can be false. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes, claimedBytes = bytes.length, claimedOffset, stored = false } of entries) {
    const packed = stored ? bytes : deflateRawSync(bytes);
    const numbers = Buffer.alloc(26);
    numbers.writeUInt16LE(20, 0);
    numbers.writeUInt16LE(stored ? 0 : 8, 4);
    numbers.writeUInt32LE(crc32(bytes), 10);
    numbers.writeUInt32LE(packed.length, 14);
    numbers.writeUInt32LE(claimedBytes, 18);
    numbers.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), numbers, Buffer.from(name), packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(claimedOffset ?? offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), numbers, tail, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, ...directory, end]);
}
