import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describeTree, firstDifference } from '../../phone/files/manifest.js';
import { unlessMissing } from '../../phone/files/path-exists.js';
import {
  type BackupFile,
  damaged,
  digestOf,
  documentsFile,
  fileIn,
  readBackupFile,
  readList,
  type SavedCollection,
  treeIn,
} from './backup-file.js';
import { DamagedDocuments, documentsIn } from './bson-file.js';
import type { OnProgress } from './progress.js';

/**
 * Reads all of a backup, and compares it with the checksums that were taken when it was made. Throws an error of one line that names the
 * first difference.
 */
export async function verifyBackup(from: string, onProgress: OnProgress): Promise<BackupFile> {
  const folder = resolve(from);
  const file = readBackupFile(folder);
  for (const [path, digest] of Object.entries(file.files)) {
    const own = fileIn(folder, file, path);
    if (!existsSync(own) || (await digestOf(own)) !== digest)
      throw damaged(folder, `${path} differs from the backed-up file`);
  }
  for (const [at, collection] of (file.mongodb?.collections ?? []).entries()) {
    onProgress({ done: at, of: file.mongodb?.collections.length ?? 0, path: collection.name });
    await verifyDocuments(folder, at, collection);
  }
  const paths = Object.keys(file.trees);
  for (const [at, path] of paths.entries()) {
    onProgress({ done: at, of: paths.length, path });
    await verifyTree(folder, file, path);
  }
  onProgress({ done: paths.length, of: paths.length, path: '' });
  return file;
}

async function verifyDocuments(
  folder: string,
  at: number,
  { name, documents, sha256 }: SavedCollection,
): Promise<void> {
  const hash = createHash('sha256');
  let found = 0;
  try {
    for await (const document of documentsIn(documentsFile(folder, at))) {
      hash.update(document);
      found++;
    }
  } catch (error) {
    if (!(error instanceof DamagedDocuments) && (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw damaged(folder, `the documents of ${name} cannot be read`, error);
  }
  if (found !== documents || hash.digest('hex') !== sha256)
    throw damaged(folder, `the documents of ${name} differ from those that were backed up`);
}

async function verifyTree(folder: string, file: BackupFile, path: string): Promise<void> {
  const list = readList(folder, file, path);
  const found = await describeTree(treeIn(folder, path), { owners: true }).catch(unlessMissing);
  if (found === undefined) throw damaged(folder, `${path} is missing`);
  const different = firstDifference({ ...list, inodes: {} }, found);
  if (different !== undefined) throw damaged(folder, `${path}/${different.slice(0, 200)} is not as it was backed up`);
}
