import { constants, type Stats } from 'node:fs';
import { copyFile, link, lstat, mkdir, readdir, readlink, symlink, utimes } from 'node:fs/promises';
import { join, relative } from 'node:path';

export interface ShareOptions {
  /** Inodes of files that are open for writing: they are copied, as writes to them must not show in the other tree. */
  open?: ReadonlySet<number>;
  /** Paths, relative to the tree, that are left out. */
  without?: readonly string[];
  /**
   * Is called before a folder, a link or the copy of a file is made, with the bytes of its content. An error that it throws ends the work.
   */
  takeRoom?: (contentBytes: number) => Promise<void>;
}

/**
 * Makes a second tree of the same files. Both trees have hard links to each file, so the second tree takes space only for its folders.
 * Before a file with several names is changed in place, it is replaced by a copy (files/disk.ts). A file that cannot be linked is copied.
 * Files that vanish meanwhile are left out. Symbolic links keep their targets unchanged. Throws when `from` itself does not exist.
 */
export async function shareTree(from: string, to: string, options: ShareOptions = {}): Promise<void> {
  const { open, without = [], takeRoom = async () => undefined } = options;
  const folders: { from: string; to: string; stat: Stats }[] = [{ from, to, stat: await lstat(from) }];
  for (let at = 0; at < folders.length; at++) {
    const folder = folders[at];
    if (!folder) break;
    await takeRoom(0);
    await mkdir(folder.to, { recursive: true, mode: folder.stat.mode & 0o7777 });
    for (const name of (await unlessGone(readdir(folder.from))) ?? []) {
      const inner = { from: join(folder.from, name), to: join(folder.to, name) };
      if (without.includes(relative(from, inner.from))) continue;
      const stat = await unlessGone(lstat(inner.from));
      if (stat?.isDirectory()) folders.push({ ...inner, stat });
      else if (stat) await unlessGone(shareOne({ ...inner, stat, isOpen: open?.has(stat.ino) === true, takeRoom }));
    }
  }
  // Times of folders are set last, the innermost first, as filling a folder changes its time.
  for (const { to: made, stat } of folders.reverse()) await utimes(made, stat.atime, stat.mtime);
}

interface SharedEntry extends Required<Pick<ShareOptions, 'takeRoom'>> {
  from: string;
  to: string;
  stat: Stats;
  isOpen: boolean;
}

async function shareOne({ from, to, stat, isOpen, takeRoom }: SharedEntry): Promise<void> {
  if (stat.isSymbolicLink()) {
    await takeRoom(0);
    return symlink(await readlink(from), to);
  }
  if (!stat.isFile()) return;
  if (!isOpen && (await isLinked(from, to))) return;
  await takeRoom(stat.size);
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await utimes(to, stat.atime, stat.mtime);
}

/** Makes a hard link to the file. Returns false when `to` cannot have one. */
async function isLinked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (NO_LINK.has((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/**
 * Errors that mean that a file cannot have a hard link. The link would be on another file system, hard links are missing or forbidden, or
 * the file has too many names.
 */
const NO_LINK = new Set(['EXDEV', 'EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
