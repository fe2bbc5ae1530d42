import fs from 'node:fs/promises';
import type { Dirent } from 'node:fs';

/** What a tree takes of a disk. */
export interface TreeUsage {
  /** Bytes of the contents of its files. */
  bytes: number;
  /** Its files, folders and links. */
  entries: number;
}

/** What each file, folder and link takes beside its content, bytes: an inode, and its name in a folder. */
export const ENTRY_BYTES = 4_096;

export function bytesOf({ bytes, entries }: TreeUsage): number {
  return bytes + entries * ENTRY_BYTES;
}

/**
 * Counts everything below a folder. A missing folder counts as empty, and the content of entries that vanish meanwhile as 0 bytes. Throws
 * any other error.
 */
export async function measureTree(folder: string): Promise<TreeUsage> {
  const usage = { bytes: 0, entries: 0 };
  // Paths are bytes, as names need not be UTF-8. A path as text could not open a folder whose name is not UTF-8.
  const folders = [Buffer.from(folder)];
  // Each folder is listed by itself, as one recursive listing fails as a whole when a folder vanishes.
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const entry of (await entriesOf(next).catch(unlessVanished)) ?? []) {
      usage.entries++;
      const path = Buffer.concat([next, SLASH, entry.name]);
      if (entry.isDirectory()) folders.push(path);
      if (entry.isFile()) usage.bytes += (await fs.lstat(path).catch(unlessVanished))?.size ?? 0;
    }
  }
  return usage;
}

const SLASH = Buffer.from('/');

/** Lists a folder with names as bytes. The cast is needed, as the types of Node only have names as text. */
function entriesOf(folder: Buffer): Promise<Dirent<Buffer>[]> {
  const options = { encoding: 'buffer' as BufferEncoding, withFileTypes: true } as const;
  return fs.readdir(folder, options) as unknown as Promise<Dirent<Buffer>[]>;
}

/** Returns undefined for an entry that has vanished, or a folder that a file has replaced. Throws any other error. */
function unlessVanished(error: unknown): undefined {
  if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
  throw error;
}
