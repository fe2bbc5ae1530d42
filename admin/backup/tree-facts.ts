import type { BigIntStats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { TooManyFiles } from '../../phone/files/manifest.js';

/** What the file system says about an entry of a tree, without a read of its content. */
export interface EntryFact {
  kind: 'file' | 'folder' | 'other';
  /** Changes whenever the content, the owner, the permissions or an attribute of the entry changes. */
  fact: string;
  /** Kind, permissions, owner and size: what a copy of the entry has too. */
  form: string;
  /** Time of the last change of a file's content, s. */
  changedS: bigint;
  /** Names of the file, over all trees. */
  links: number;
  /** The entry was changed so shortly before that a further change may leave `fact` as it is. */
  fresh: boolean;
}

/** The facts of all entries, by path. Paths are bytes, one character each (latin1), as names need not be UTF-8. */
export type TreeFacts = ReadonlyMap<string, EntryFact>;

/** Most characters of the paths of a tree; a tree with longer ones could not be listed either. */
const MAX_PATH_CHARS = 64 * 1024 * 1024;

/** Most characters of a path in an error text. */
const MAX_SHOWN_CHARS = 120;

/** Times of files are as coarse as 2 s in some file systems. */
const FRESH_NS = 2_000_000_000n;

const S_NS = 1_000_000_000n;

const SLASH = Buffer.from('/');

/**
 * Lists a tree with the facts of its entries. The time of the last change (`ctime`) cannot be set by a program, so equal facts mean equal
 * files. Throws TooManyFiles, and ENOENT where the tree or an entry vanishes meanwhile.
 */
export async function factsOf(root: string, nowMs: number, maxPathChars = MAX_PATH_CHARS): Promise<TreeFacts> {
  const facts = new Map<string, EntryFact>();
  const freshNs = BigInt(Math.floor(nowMs)) * 1_000_000n - FRESH_NS;
  const top = Buffer.from(`${root}/`);
  const folders = [top];
  let chars = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const name of await readdir(folder, { encoding: 'buffer' })) {
      const full = Buffer.concat([folder, name]);
      const stat = await lstat(full, { bigint: true });
      const path = full.subarray(top.length).toString('latin1');
      chars += path.length;
      if (chars > maxPathChars) throw new TooManyFiles(`its paths are longer than ${maxPathChars} characters`);
      const { dev, ino, size, mode, mtimeNs, ctimeNs, nlink } = stat;
      const kind = stat.isDirectory() ? 'folder' : stat.isFile() ? 'file' : 'other';
      const [form, changedS] = [formOf(stat), mtimeNs / S_NS];
      const fact = [dev, ino, size, mode, mtimeNs, ctimeNs].map((number) => number.toString(36)).join(' ');
      facts.set(path, { kind, fact, form, changedS, links: Number(nlink), fresh: ctimeNs > freshNs });
      if (kind === 'folder') folders.push(Buffer.concat([full, SLASH]));
    }
  }
  return facts;
}

/** Whether nothing in the tree changed between two looks at it. Links that other trees got meanwhile count as a change. */
export function sameFacts(one: TreeFacts, other: TreeFacts): boolean {
  if (one.size !== other.size) return false;
  for (const [path, { fact }] of one) if (other.get(path)?.fact !== fact) return false;
  return true;
}

/** Whether a file has the content, owner and permissions of an entry, as far as the file system shows it without a read. */
export async function isLike(file: Buffer, { form, changedS }: EntryFact): Promise<boolean> {
  const stat = await lstat(file, { bigint: true });
  return formOf(stat) === form && stat.mtimeNs / S_NS === changedS;
}

/**
 * Checks that a copy has all entries with their owners, permissions and sizes. The program `cp` reports no failure where the user may not
 * give files away, or where a disk such as FAT keeps no owners.
 */
export async function assertCopied(original: TreeFacts, copy: string): Promise<void> {
  const copied = await factsOf(copy, 0);
  for (const [path, { form }] of original)
    if (copied.get(path)?.form !== form) {
      const shown = Buffer.from(path, 'latin1').toString('utf8').slice(0, MAX_SHOWN_CHARS);
      throw new Error(
        `the copy of ${JSON.stringify(shown)} has another owner, other permissions or another size: run the command as the user of the service, and use a disk that keeps owners`,
      );
    }
}

function formOf(stat: BigIntStats): string {
  const detail = stat.isFile() ? stat.size : stat.isDirectory() || stat.isSymbolicLink() ? '' : stat.rdev;
  return `${stat.mode} ${stat.uid}:${stat.gid} ${detail}`;
}
