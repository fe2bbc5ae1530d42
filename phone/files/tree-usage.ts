import fs from 'node:fs/promises';
import type { Dirent } from 'node:fs';

/** What a tree takes of a disk. */
export interface TreeUsage {
  /** Of the contents of its files. */
  bytes: number;
  /** Its files, folders and links. */
  entries: number;
}

/** What each file, folder and link takes beside its content, bytes: an inode, and its name in a folder. */
export const ENTRY_BYTES = 4_096;

export function bytesOf({ bytes, entries }: TreeUsage): number {
  return bytes + entries * ENTRY_BYTES;
}

/** Counts all below a folder; nothing where there is no folder. Entries that vanish meanwhile count without content. Throws what else fails. */
export async function measureTree(folder: string): Promise<TreeUsage> {
  const usage = { bytes: 0, entries: 0 };
  // In bytes: names need not be UTF-8, and one that cannot be written as text would hide all below it.
  const folders = [Buffer.from(folder)];
  // Not by one recursive listing: that fails as a whole where one of the folders vanishes.
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

/** The types of Node know names as text alone. */
function entriesOf(folder: Buffer): Promise<Dirent<Buffer>[]> {
  const options = { encoding: 'buffer' as BufferEncoding, withFileTypes: true } as const;
  return fs.readdir(folder, options) as unknown as Promise<Dirent<Buffer>[]>;
}

/** Also for a folder that a file has taken the place of. */
function unlessVanished(error: unknown): undefined {
  if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
  throw error;
}
