import { constants, type Stats } from 'node:fs';
import { copyFile, lstat, mkdir, readdir, readlink, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Copies a folder that may be in use: what vanishes while it is copied is left out, where `fs.cp` would fail. Blocks are shared
 * with the original where the file system can; links are kept as they are written. Throws when `from` itself is not there.
 */
export async function copyTree(from: string, to: string): Promise<void> {
  const folders: { from: string; to: string; stat: Stats }[] = [{ from, to, stat: await lstat(from) }];
  for (let at = 0; at < folders.length; at++) {
    const folder = folders[at];
    if (!folder) break;
    await mkdir(folder.to, { recursive: true, mode: folder.stat.mode & 0o7777 });
    for (const name of (await unlessGone(readdir(folder.from))) ?? []) {
      const inner = { from: join(folder.from, name), to: join(folder.to, name) };
      const stat = await unlessGone(lstat(inner.from));
      if (stat?.isDirectory()) folders.push({ ...inner, stat });
      else if (stat) await unlessGone(copyOne(inner.from, inner.to, stat));
    }
  }
  // Last, and the innermost first: filling a folder changes its time.
  for (const { to: made, stat } of folders.reverse()) await utimes(made, stat.atime, stat.mtime);
}

async function copyOne(from: string, to: string, stat: Stats): Promise<void> {
  if (stat.isSymbolicLink()) return symlink(await readlink(from), to);
  if (!stat.isFile()) return;
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await utimes(to, stat.atime, stat.mtime);
}

async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
