import { mkdirSync, rmSync } from 'node:fs';
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { serviceFiles } from './service-files.js';
import type { ImageTree } from '../../simulated-phone/image/image-entry.js';

// Writes the files of the image into a folder, which is emptied first. It runs as
// `node dist/deploy/image/main.js FOLDER` in the build stage of deploy/Dockerfile, after `npm ci` and `npm run build`.
const root = join(import.meta.dirname, '../../..');
const [folder] = process.argv.slice(2);
try {
  if (folder === undefined) throw new Error('Usage: node dist/deploy/image/main.js FOLDER');
  const into = resolve(folder);
  rmSync(into, { recursive: true, force: true });
  mkdirSync(into, { recursive: true });
  const sizeBytes = await writeTree(await serviceFiles(root), into);
  console.log(`${into}: ${Math.round(sizeBytes / 1e6)} MB`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/**
 * Writes the entries of a tree below `into`. The tree lists each folder before its contents. Returns the size of the copied files, bytes.
 */
async function writeTree(tree: ImageTree, into: string): Promise<number> {
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
