/**
 * Declares a fixed little-endian record: `layout({ command: u32, arg0: u32 })`. The type of a record follows from its declaration, so a
 * file of layouts reads like a page of the protocol's documentation.
 */
export function layout<T extends object>(fields: { [K in keyof T]: Field<T[K]> }): Layout<T> {
  const names = Object.keys(fields) as (keyof T)[];
  const offsets = new Map<keyof T, number>();
  let sizeBytes = 0;
  for (const name of names) {
    offsets.set(name, sizeBytes);
    sizeBytes += fields[name].sizeBytes;
  }
  const read = (bytes: Buffer, offset = 0): T => {
    const record: Partial<T> = {};
    for (const name of names) record[name] = fields[name].read(bytes, offset + (offsets.get(name) ?? 0));
    return record as T;
  };
  const write = (record: T, into = Buffer.alloc(sizeBytes), offset = 0): Buffer => {
    for (const name of names) fields[name].write(into, offset + (offsets.get(name) ?? 0), record[name]);
    return into;
  };
  return { sizeBytes, read, write };
}

export interface Layout<T> {
  readonly sizeBytes: number;
  /** Throws RangeError when `bytes` is shorter than the record. */
  read(bytes: Buffer, offset?: number): T;
  /** Writes into a new buffer, or into the one given. Returns that buffer. */
  write(record: T, into?: Buffer, offset?: number): Buffer;
}

export interface Field<T> {
  readonly sizeBytes: number;
  read(bytes: Buffer, offset: number): T;
  write(bytes: Buffer, offset: number, value: T): void;
}

export const u8: Field<number> = {
  sizeBytes: 1,
  read: (bytes, offset) => bytes.readUInt8(offset),
  write: (bytes, offset, value) => void bytes.writeUInt8(value, offset),
};

export const u32: Field<number> = {
  sizeBytes: 4,
  read: (bytes, offset) => bytes.readUInt32LE(offset),
  write: (bytes, offset, value) => void bytes.writeUInt32LE(value >>> 0, offset),
};

/** Reads and writes an unsigned 64-bit field as a number. The values are sizes and times, which stay below 2^53. */
export const u64: Field<number> = {
  sizeBytes: 8,
  read: (bytes, offset) => Number(bytes.readBigUInt64LE(offset)),
  write: (bytes, offset, value) => void bytes.writeBigUInt64LE(BigInt(Math.max(0, Math.trunc(value))), offset),
};

export const i64: Field<number> = {
  sizeBytes: 8,
  read: (bytes, offset) => Number(bytes.readBigInt64LE(offset)),
  write: (bytes, offset, value) => void bytes.writeBigInt64LE(BigInt(Math.trunc(value)), offset),
};

/** Four ASCII letters, as sync's message ids are. */
export const letters4: Field<string> = {
  sizeBytes: 4,
  read: (bytes, offset) => bytes.toString('latin1', offset, offset + 4),
  write: (bytes, offset, value) => void bytes.write(value, offset, 4, 'latin1'),
};
