import type { ByteSource } from './pipe.js';

/** Reads the next line, without its end; the bytes after it are put back. A line of more than 1 MiB comes in pieces. Undefined at the end. */
export async function readLine(source: ByteSource): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for (let piece = await source.read(); piece; piece = await source.read()) {
    const end = piece.indexOf(10);
    if (end < 0) {
      parts.push(piece);
      bytes += piece.length;
      if (bytes >= MAX_LINE_BYTES) break;
      continue;
    }
    parts.push(piece.subarray(0, end));
    if (end + 1 < piece.length) source.unread?.(piece.subarray(end + 1));
    return Buffer.concat(parts).toString('utf8');
  }
  return parts.length === 0 ? undefined : Buffer.concat(parts).toString('utf8');
}

const MAX_LINE_BYTES = 1024 * 1024;
