import { link, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { copyTree } from '../../phone/files/copy-tree.js';
import { type EntryFact, isLike, type TreeFacts } from './tree-facts.js';

/** Where copies of files with several names are, by the facts of the files. All trees of one run share it. */
export type SharedFiles = Map<string, Buffer>;

export interface FillOptions {
  facts: TreeFacts;
  /** Files that several trees of the run share stay shared. */
  shared: SharedFiles;
  /** Returns a path that has the very file already, from an earlier backup. */
  earlier?: (path: string, fact: EntryFact) => Buffer | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Copies a tree into a folder that exists and is empty. A file that was copied before, in this run or an earlier one, gets one more name
 * in place of a copy (hard link). File systems that can share blocks share those of the others. Returns the paths of the linked files.
 */
export async function fillTree(from: string, to: string, options: FillOptions): Promise<Set<string>> {
  const { facts, shared, earlier, signal } = options;
  const linked = new Set<string>();
  const made = new Set<string>();
  for (const [path, entry] of facts) {
    if (entry.kind !== 'file') continue;
    const kept = shared.get(entry.fact) ?? earlier?.(path, entry);
    if (kept === undefined) continue;
    signal?.throwIfAborted();
    if (await linkedTo(kept, entry, inside(to, path), made)) linked.add(path);
  }
  await copyTree(from, to, { signal, onlyMissing: linked.size > 0 });
  for (const [path, { kind, fact, links }] of facts)
    if (kind === 'file' && links > 1 && !shared.has(fact)) shared.set(fact, inside(to, path));
  return linked;
}

/** Returns the bytes of a path in a folder. */
export function inside(folder: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')]);
}

/**
 * Gives a file one more name. Returns false where the file system does not allow it, or the file is not there or was changed by another
 * program: then the file is copied.
 */
async function linkedTo(file: Buffer, entry: EntryFact, name: Buffer, made: Set<string>): Promise<boolean> {
  const folder = dirname(name.toString('latin1'));
  try {
    if (!(await isLike(file, entry))) return false;
    // The copy that follows gives the folders their owners, permissions and times.
    if (!made.has(folder)) await mkdir(Buffer.from(folder, 'latin1'), { recursive: true, mode: 0o700 });
    made.add(folder);
    await link(file, name);
    return true;
  } catch (error) {
    if (NO_LINK.has((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

const NO_LINK = new Set([
  ...['EXDEV', 'EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'ENOENT', 'ENAMETOOLONG'],
]);
