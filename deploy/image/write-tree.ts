import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImageTree } from '../../simulated-phone/image/image-entry.js';

/** Writes the files of a tree below a folder, those of a folder of the tree after it. Returns the size of all files, bytes. */
export async function writeTree(tree: ImageTree, into: string): Promise<number> {
  let sizeBytes = 0;
  for (const entry of tree.values()) {
    const path = join(into, entry.path);
    if (entry.kind === 'folder') await mkdir(path, { mode: entry.mode });
    else if (entry.kind === 'link') await symlink(entry.target, path);
    else if (entry.kind === 'text') await writeFile(path, entry.text, { mode: entry.mode });
    else await copyFile(entry.source, path);
    if (entry.kind === 'file') sizeBytes += entry.sizeBytes;
  }
  return sizeBytes;
}
