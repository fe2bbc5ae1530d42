import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { ENTRY_BYTES } from './tree-usage.js';

/** The facts of a snapshot when it was saved. */
export interface Manifest {
  /** Size of all files together, and 4 KiB for each file, folder and link, bytes. */
  sizeBytes: number;
  /** SHA-256 over the lines of `entries`, in hexadecimal. */
  checksum: string;
  /** `<path>\0<kind and permissions>\0<SHA-256 of a file, target of a link>`, by path. */
  entries: string[];
  /** SHA-256 of each file, by its inode. A later snapshot that shares a file need not read it again, as shared files never change. */
  inodes: Record<number, string>;
  /** Which folder on which disk the inodes are of (treeMark). Absent: written by a release without it. */
  tree?: string;
}

/** How much of a file is read at a time: enough to be quick, and so little that other phones of the process hardly wait. */
const READ_BYTES = 256 * 1024;

/**
 * Most characters of the lines of a tree. A phone can make files without end, and all lines are in memory. The files of an Android need a
 * tenth of this bound.
 */
const MAX_TEXT_CHARS = 64 * 1024 * 1024;

export interface DescribeOptions {
  signal?: AbortSignal | undefined;
  /** For tests. Default: MAX_TEXT_CHARS. */
  maxTextChars?: number;
  /** Checksums of files that never change, by inode: these files are not read. */
  known?: Readonly<Record<number, string>>;
  /** Whether the owner and group of each entry are part of the description, as for files of a real Android. */
  owners?: boolean;
}

/** The tree has more files than a snapshot can list. */
export class TooManyFiles extends Error {
  override name = 'TooManyFiles';
}

/**
 * Describes a tree by reading all its files. Sockets, pipes and devices are described by their kind alone. Paths are handled as bytes, as
 * names need not be UTF-8. Throws TooManyFiles.
 */
export async function describeTree(root: string, options: DescribeOptions = {}): Promise<Manifest> {
  const { known = {}, owners = false, signal, maxTextChars = MAX_TEXT_CHARS } = options;
  const entries: string[] = [];
  const inodes: Record<number, string> = {};
  let sizeBytes = 0;
  let text = 0;
  const add = (entry: string): void => {
    text += entry.length;
    if (text > maxTextChars) throw new TooManyFiles(`its list is longer than ${maxTextChars} characters`);
    entries.push(entry);
  };
  const top = Buffer.from(`${root}/`);
  const folders = [top];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const name of await readdir(folder, { encoding: 'buffer' })) {
      signal?.throwIfAborted();
      const full = Buffer.concat([folder, name]);
      const path = full.subarray(top.length).toString('utf8');
      const stat = await lstat(full);
      const mode = `${(stat.mode & 0o7777).toString(8)}${owners ? ` ${stat.uid}:${stat.gid}` : ''}`;
      if (stat.isDirectory()) {
        folders.push(Buffer.concat([full, SLASH]));
        add(`${path}\0folder ${mode}\0`);
      } else if (stat.isSymbolicLink()) add(`${path}\0link\0${await readlink(full)}`);
      else if (!stat.isFile()) add(`${path}\0special ${mode}\0`);
      else {
        const checksum = known[stat.ino] ?? (await checksumOf(full, signal));
        add(`${path}\0file ${mode}\0${checksum}`);
        inodes[stat.ino] = checksum;
        sizeBytes += stat.size;
      }
    }
  }
  entries.sort();
  sizeBytes += entries.length * ENTRY_BYTES;
  return { sizeBytes, checksum: sha256(entries.join('\n')), entries, inodes, tree: await treeMark(root) };
}

/**
 * Returns a mark of a folder that a rename keeps and a copy has not. With it, the inodes of a manifest that came from another disk are known
 * to be none of this disk.
 */
export async function treeMark(root: string): Promise<string> {
  const { ino, birthtimeMs } = await lstat(root);
  return `${ino}.${birthtimeMs}`;
}

/** The path of the first entry in which two trees differ; undefined when they are equal. */
export function firstDifference(one: Manifest, other: Manifest): string | undefined {
  if (one.checksum === other.checksum) return undefined;
  const [ours, theirs] = [new Set(one.entries), new Set(other.entries)];
  const differing = [...one.entries, ...other.entries].filter((entry) => !ours.has(entry) || !theirs.has(entry));
  return differing.sort()[0]?.split('\0')[0] ?? '';
}

/** Returns undefined when there is no manifest that can be read. */
export async function readManifest(path: string): Promise<Manifest | undefined> {
  try {
    const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest;
    return manifest.checksum === sha256(manifest.entries.join('\n')) ? manifest : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** `takeRoom` is called with the bytes of the file before it is written. */
export async function writeManifest(
  path: string,
  manifest: Manifest,
  takeRoom: (bytes: number) => Promise<void> = async () => undefined,
): Promise<void> {
  const text = JSON.stringify(manifest);
  await takeRoom(Buffer.byteLength(text));
  await writeFile(path, text, { mode: 0o600 });
}

const SLASH = Buffer.from('/');

async function checksumOf(path: Buffer, signal: AbortSignal | undefined): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES, signal })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
