import { copyFile, lstat, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../../kit/async/clock.js';
import { describeTree } from '../../phone/files/manifest.js';
import { removeTree } from '../../phone/files/remove-tree.js';
import { type BackupFile, isListWhole, listIn, readList, sha256, treeIn, type TreeList } from './backup-file.js';
import { fillTree, inside, type SharedFiles } from './fill-tree.js';
import { assertCopied, type EntryFact, factsOf, sameFacts, type TreeFacts } from './tree-facts.js';

/** An earlier backup of the same data folder, whose files need no second copy. */
export interface EarlierBackup {
  folder: string;
  file: BackupFile;
}

/** What a tree of a backup is made of: files and folders of the data folder, each under its path in the tree ('' for all of it). */
export type TreeParts = readonly { at: string; from: string }[];

export interface SaveTreeOptions {
  /** The folder in which the backup is made. */
  into: string;
  /** The path of the tree in the data folder. */
  path: string;
  parts: TreeParts;
  shared: SharedFiles;
  earlier?: EarlierBackup | undefined;
  clock: Pick<Clock, 'now'>;
}

/** The tree changed while it was copied. */
export class TreeChanged extends Error {
  override name = 'TreeChanged';
}

/**
 * Copies a phone or a snapshot into a backup, with the list of its entries. Nothing keeps a phone from being started meanwhile, as its
 * owner shall not wait for a backup. The tree is looked at before and after, and TreeChanged is thrown where it is not the same.
 */
export async function saveTree(options: SaveTreeOptions): Promise<BackupFile['trees'][string]> {
  const { into, path, parts, shared, earlier, clock } = options;
  const to = treeIn(into, path);
  const before = listOf(earlier, path);
  const [facts, known]: [TreeList['facts'], Record<number, string>] = [{}, {}];
  try {
    for (const { at, from } of parts) {
      const folder = join(to, at);
      if ((await lstat(from)).isFile()) {
        await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
        await copyFile(from, folder);
        continue;
      }
      const found = await factsOf(from, clock.now());
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const prefix = at === '' ? '' : `${at}/`;
      const linked = await fillTree(from, folder, {
        ...{ facts: found, shared },
        earlier: (inner, fact) => before?.kept(`${prefix}${inner}`, fact),
      });
      if (!sameFacts(found, await factsOf(from, clock.now())))
        throw new TreeChanged(`${path} changed while it was copied`);
      await assertCopied(found, folder);
      noteFacts(facts, prefix, found);
      for (const inner of linked) {
        const fact = found.get(inner);
        const checksum = fact && before?.checksumOf(`${prefix}${inner}`, fact);
        if (checksum !== undefined) known[(await lstat(inside(folder, inner))).ino] = checksum;
      }
    }
    const { sizeBytes, checksum, entries } = await describeTree(to, { owners: true, known });
    const text = JSON.stringify({ sizeBytes, checksum, entries, facts } satisfies TreeList);
    await mkdir(dirname(listIn(into, path)), { recursive: true, mode: 0o700 });
    await writeFile(listIn(into, path), text, { mode: 0o600 });
    return { bytes: sizeBytes, checksum, list_sha256: sha256(text) };
  } catch (error) {
    // No later tree may be linked to files of a tree that is not kept.
    for (const [fact, file] of shared) if (file.subarray(0, to.length + 1).toString() === `${to}/`) shared.delete(fact);
    await removeTree(to);
    throw error;
  }
}

function noteFacts(facts: TreeList['facts'], prefix: string, found: TreeFacts): void {
  for (const [path, { kind, fact, fresh }] of found) if (kind === 'file' && !fresh) facts[`${prefix}${path}`] = fact;
}

/** What an earlier copy of a tree has. */
interface EarlierTree {
  /** Returns where the earlier copy has the very file. */
  kept: (path: string, fact: EntryFact) => Buffer | undefined;
  /** Returns the checksum of such a file. */
  checksumOf: (path: string, fact: EntryFact) => string | undefined;
}

/** Undefined where there is no copy. One whose list was damaged is not used either, as a backup must not depend on an older one. */
function listOf(earlier: EarlierBackup | undefined, path: string): EarlierTree | undefined {
  if (earlier?.file.trees[path] === undefined || !isListWhole(earlier.folder, earlier.file, path)) return undefined;
  const { facts, entries } = readList(earlier.folder, earlier.file, path);
  const byPath = new Map(Object.entries(facts));
  const checksums = new Map<string, string | undefined>();
  for (const entry of entries) {
    const [name = '', kind = '', checksum] = entry.split('\0');
    // Two names that are not UTF-8 may be listed as the same text. Such files are read again.
    if (kind.startsWith('file ')) checksums.set(name, checksums.has(name) ? undefined : checksum);
  }
  const root = treeIn(earlier.folder, path);
  const isKept = (inner: string, { fact }: EntryFact): boolean => byPath.get(inner) === fact;
  return {
    kept: (inner, fact) => (isKept(inner, fact) ? inside(root, inner) : undefined),
    checksumOf: (inner, fact) =>
      isKept(inner, fact) ? checksums.get(Buffer.from(inner, 'latin1').toString('utf8')) : undefined,
  };
}
