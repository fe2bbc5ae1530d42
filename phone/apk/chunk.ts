import { notAnApk } from './apk-error.js';
import type { ReadBudget } from './read-budget.js';

/** One chunk of Android's binary resource formats: `type:u16 headerBytes:u16 bytes:u32`, little-endian. */
export interface Chunk {
  type: number;
  headerBytes: number;
  /** All bytes of the chunk, with its header. Offsets in a chunk count from the first byte of its header. */
  bytes: Buffer;
}

export const ChunkType = {
  STRING_POOL: 0x0001,
  TABLE: 0x0002,
  XML: 0x0003,
  XML_START_ELEMENT: 0x0102,
  XML_END_ELEMENT: 0x0103,
  XML_RESOURCE_MAP: 0x0180,
  TABLE_PACKAGE: 0x0200,
  TABLE_TYPE: 0x0201,
} as const;

/** Throws ApkError when no whole chunk is at `offset`. */
export function chunkAt(bytes: Buffer, offset: number): Chunk {
  if (offset + 8 > bytes.length) throw notAnApk('resource chunk is cut off');
  const headerBytes = bytes.readUInt16LE(offset + 2);
  const size = bytes.readUInt32LE(offset + 4);
  if (headerBytes < 8 || size < headerBytes || offset + size > bytes.length)
    throw notAnApk('resource chunk of a wrong size');
  return { type: bytes.readUInt16LE(offset), headerBytes, bytes: bytes.subarray(offset, offset + size) };
}

/** Yields the chunks that follow each other in `bytes`, from the offset `from` on. */
export function* chunksIn(bytes: Buffer, from: number, budget: ReadBudget): Generator<Chunk> {
  for (let at = from; at + 8 <= bytes.length;) {
    budget.spendWork(1);
    const chunk = chunkAt(bytes, at);
    yield chunk;
    at += chunk.bytes.length;
  }
}
