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

/** Counts all below a folder; nothing where there is no folder. Entries that vanish meanwhile count without content. */
export async function measureTree(folder: string): Promise<TreeUsage> {
  const usage = { bytes: 0, entries: 0 };
  for (const entry of await fs.readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])) {
    usage.entries++;
    if (!entry.isFile()) continue;
    const stat = await fs.lstat(nodePath.join(entry.parentPath, entry.name)).catch(() => undefined);
    usage.bytes += stat?.size ?? 0;
  }
  return usage;
}
