import fs from 'node:fs/promises';
import nodePath from 'node:path';

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
  const folders = [folder];
  // Not by one recursive listing: that fails as a whole where one of the folders vanishes.
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const entry of (await fs.readdir(next, { withFileTypes: true }).catch(unlessVanished)) ?? []) {
      usage.entries++;
      const path = nodePath.join(next, entry.name);
      if (entry.isDirectory()) folders.push(path);
      if (entry.isFile()) usage.bytes += (await fs.lstat(path).catch(unlessVanished))?.size ?? 0;
    }
  }
  return usage;
}

/** Also for a folder that a file has taken the place of. */
function unlessVanished(error: unknown): undefined {
  if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
  throw error;
}
