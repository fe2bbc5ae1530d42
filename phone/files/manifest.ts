import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ENTRY_BYTES } from './tree-usage.js';

/** The facts of a snapshot when it was saved. */
export interface Manifest {
  /** Of all files together, and 4 KiB for each file, folder and link, bytes. */
  sizeBytes: number;
  /** SHA-256 over the lines of `entries`, in hexadecimal. */
  checksum: string;
  /** `<path>\0<kind and permissions>\0<SHA-256 of a file, target of a link>`, by path. */
  entries: string[];
  /** SHA-256 of each file, by its inode: one that a later snapshot has too need not be read again, as shared files never change. */
  inodes: Record<number, string>;
}

/** Read at a time: large enough to be quick, small enough that other phones of the process hardly wait. */
const READ_BYTES = 256 * 1024;

export interface DescribeOptions {
  /** Checksums of files that never change, by inode: these files are not read. */
  known?: Readonly<Record<number, string>>;
  /** Whether the owner and group of each entry are part of the description, as for files of a real Android. */
  owners?: boolean;
}

/** Describes a tree by reading all its files. Sockets, pipes and devices are described by their kind alone. */
export async function describeTree(root: string, options: DescribeOptions = {}): Promise<Manifest> {
  const { known = {}, owners = false } = options;
  const entries: string[] = [];
  const inodes: Record<number, string> = {};
  let sizeBytes = 0;
  const folders = [''];
  for (let at = 0; at < folders.length; at++) {
    const folder = folders[at] ?? '';
    for (const name of await readdir(join(root, folder))) {
      const path = join(folder, name);
      const full = join(root, path);
      const stat = await lstat(full);
      const mode = `${(stat.mode & 0o7777).toString(8)}${owners ? ` ${stat.uid}:${stat.gid}` : ''}`;
      if (stat.isDirectory()) {
        folders.push(path);
        entries.push(`${path}\0folder ${mode}\0`);
      } else if (stat.isSymbolicLink()) entries.push(`${path}\0link\0${await readlink(full)}`);
      else if (!stat.isFile()) entries.push(`${path}\0special ${mode}\0`);
      else {
        const checksum = known[stat.ino] ?? (await checksumOf(full));
        entries.push(`${path}\0file ${mode}\0${checksum}`);
        inodes[stat.ino] = checksum;
        sizeBytes += stat.size;
      }
    }
  }
  entries.sort();
  sizeBytes += entries.length * ENTRY_BYTES;
  return { sizeBytes, checksum: sha256(entries.join('\n')), entries, inodes };
}

/** The path of the first entry in which two trees differ; undefined when they are equal. */
export function firstDifference(one: Manifest, other: Manifest): string | undefined {
  if (one.checksum === other.checksum) return undefined;
  const [ours, theirs] = [new Set(one.entries), new Set(other.entries)];
  const differing = [...one.entries, ...other.entries].filter((entry) => !ours.has(entry) || !theirs.has(entry));
  return differing.sort()[0]?.split('\0')[0] ?? '';
}

/** Undefined when there is none that can be read. */
export async function readManifest(path: string): Promise<Manifest | undefined> {
  try {
    const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest;
    return manifest.checksum === sha256(manifest.entries.join('\n')) ? manifest : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export async function writeManifest(path: string, manifest: Manifest): Promise<void> {
  await writeFile(path, JSON.stringify(manifest), { mode: 0o600 });
}

async function checksumOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
