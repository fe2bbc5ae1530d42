import type { FileHandle } from 'node:fs/promises';

const HEADER_BYTES = 8;

/**
 * Returns how many bytes of a recording's file are whole: its beginning, and the fragments after it. A fragment is a `moof` and its `mdat`.
 * Returns 0 where not even one fragment is whole, as such a file cannot be played.
 */
export async function wholeBytes(file: Pick<FileHandle, 'read'>, bytes: number): Promise<number> {
  const header = Buffer.alloc(HEADER_BYTES);
  let whole = 0;
  for (let at = 0; at + HEADER_BYTES <= bytes;) {
    const { bytesRead } = await file.read(header, 0, HEADER_BYTES, at);
    const boxBytes = header.readUInt32BE(0);
    if (bytesRead < HEADER_BYTES || boxBytes < HEADER_BYTES) break;
    at += boxBytes;
    if (at > bytes) break;
    if (header.toString('latin1', 4) === 'mdat') whole = at;
  }
  return whole;
}
