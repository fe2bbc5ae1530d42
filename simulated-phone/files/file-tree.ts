import { constants } from 'node:fs';
import type { PhoneFiles } from '../system/system.js';
import { accessOf, type User } from './access.js';
import type { Disk } from './disk.js';
import { PhoneFileError } from './file-error.js';
import type { ReadHandle, WriteHandle } from './file-handles.js';
import { FileReader, generatedReader } from './file-reader.js';
import type { FileStat } from './file-stat.js';
import { DiskWriter, IncomingFile, discardWriter } from './file-writer.js';
import { absolutePath, baseName, isWithin, joinPath, parentPath } from './phone-path.js';
import type { VirtualTree } from './virtual-tree.js';

/**
 * The phone's file system as one user sees it: the disk and the virtual files in one tree, links followed, access checked.
 * Every method takes absolute paths of the phone and throws PhoneFileError.
 */
export class FileTree<Context> implements PhoneFiles {
  readonly #parts: FileTreeParts<Context>;

  constructor(parts: FileTreeParts<Context>) {
    this.#parts = parts;
  }

  /** Returns the stat of a file. Links are followed, also in the last place. Throws ENOENT. */
  async stat(path: string): Promise<FileStat> {
    return (await this.#existing(path, true)).stat;
  }

  /** Returns the stat of a file, without following a link in the last place. */
  async lstat(path: string): Promise<FileStat> {
    return (await this.#existing(path, false)).stat;
  }

  async exists(path: string): Promise<boolean> {
    try {
      await this.stat(path);
      return true;
    } catch (error) {
      if (error instanceof PhoneFileError) return false;
      throw error;
    }
  }

  /** Returns the path with every link followed. */
  async realPath(path: string): Promise<string> {
    return (await this.#existing(path, true)).path;
  }

  /** Lists a folder, sorted by name, without `.` and `..`. Entries that vanish meanwhile are left out. */
  async list(path: string): Promise<{ name: string; stat: FileStat }[]> {
    const { path: real, stat } = await this.#existing(path, true);
    if (stat.kind !== 'directory') throw new PhoneFileError('ENOTDIR', path);
    if (!this.#access(real).read) throw new PhoneFileError('EACCES', path);
    const names = new Set(this.#parts.virtual.list(real));
    if (this.#parts.disk.holds(real)) for (const name of await this.#parts.disk.list(real)) names.add(name);
    const entries: { name: string; stat: FileStat }[] = [];
    for (const name of [...names].sort()) {
      const found = await this.#lstatRaw(joinPath(real, name));
      if (found) entries.push({ name, stat: found });
    }
    return entries;
  }

  async openRead(path: string): Promise<ReadHandle> {
    const { path: real, stat } = await this.#existing(path, true);
    if (!this.#access(real).read) throw new PhoneFileError('EACCES', path);
    if (stat.kind === 'directory') throw new PhoneFileError('EISDIR', path);
    const node = this.#parts.virtual.get(real);
    if (node?.kind === 'input') return node.device(this.#parts.context()).openRead();
    if (node) return generatedReader(node, this.#parts.context());
    return new FileReader(await this.#parts.disk.open(real, constants.O_RDONLY), stat.sizeBytes, real);
  }

  /** Opens a file for `>` and `>>`: written data shows at once. The parent folder must exist. */
  async openWrite(path: string, options: { append: boolean }): Promise<WriteHandle> {
    const { path: real, stat } = await this.#resolve(path, true);
    const node = this.#parts.virtual.get(real);
    if (node?.kind === 'device') return discardWriter;
    if (node?.kind === 'input') return node.device(this.#parts.context()).openWrite();
    if (stat?.kind === 'directory') throw new PhoneFileError('EISDIR', path);
    this.#checkWritable(real, path);
    const flags = constants.O_WRONLY | constants.O_CREAT | (options.append ? constants.O_APPEND : constants.O_TRUNC);
    const handle = await this.#parts.disk.open(real, flags);
    if (!options.append && stat) this.#parts.disk.storage.grow(-stat.sizeBytes);
    return new DiskWriter(this.#parts.disk, handle, real);
  }

  /** Receives a pushed file, which appears at its path once it is whole. Parent folders are made. */
  async receive(path: string, permissions: number): Promise<IncomingFile> {
    const { path: real, stat } = await this.#resolveNew(path);
    if (stat?.kind === 'directory') throw new PhoneFileError('EISDIR', path);
    this.#checkWritable(real, path);
    return IncomingFile.open(this.#parts.disk, real, permissions);
  }

  /** Receives content whose place is not known yet; `commit` must get a path. */
  async stage(permissions: number): Promise<IncomingFile> {
    return IncomingFile.open(this.#parts.disk, '/data/app', permissions);
  }

  async mkdir(path: string, options: { parents?: boolean; permissions?: number } = {}): Promise<void> {
    if (options.parents) return this.#makeParents(absolutePath(path), options.permissions);
    const { path: real, stat } = await this.#resolve(path, false);
    if (stat) throw new PhoneFileError('EEXIST', path);
    this.#checkWritable(real, path);
    await this.#parts.disk.mkdir(real, options.permissions);
  }

  async unlink(path: string): Promise<void> {
    const { path: real, stat } = await this.#existing(path, false);
    if (stat.kind === 'directory') throw new PhoneFileError('EISDIR', path);
    this.#checkRemovable(real, path);
    await this.#parts.disk.unlink(real);
  }

  async rmdir(path: string): Promise<void> {
    const { path: real, stat } = await this.#existing(path, false);
    if (stat.kind !== 'directory') throw new PhoneFileError('ENOTDIR', path);
    this.#checkRemovable(real, path);
    await this.#parts.disk.rmdir(real);
  }

  /**
   * Removes the file, link or folder with all that is in it. Folders are listed first and removed in reverse order, without recursion, as a
   * deep tree must not overflow the stack.
   */
  async removeTree(path: string): Promise<void> {
    const { path: real, stat } = await this.#existing(path, false);
    if (stat.kind !== 'directory') return this.unlink(path);
    const folders = [real];
    for (let at = 0; at < folders.length; at++) {
      const folder = folders[at] ?? real;
      for (const entry of await this.list(folder)) {
        const child = joinPath(folder, entry.name);
        if (entry.stat.kind === 'directory') folders.push(child);
        else await this.unlink(child);
      }
    }
    for (const folder of folders.reverse()) await this.rmdir(folder);
  }

  /** Moves a file as rename(2) does: a link in the place of the target is replaced, and the link's own target stays. */
  async rename(from: string, to: string): Promise<void> {
    const source = await this.#existing(from, false);
    const target = await this.#resolve(to, false);
    this.#checkRemovable(source.path, from);
    this.#checkWritable(target.path, to);
    if (isWithin(target.path, source.path) && target.path !== source.path) throw new PhoneFileError('EINVAL', to);
    await this.#parts.disk.rename(source.path, target.path);
  }

  async symlink(target: string, path: string): Promise<void> {
    const { path: real, stat } = await this.#resolve(path, false);
    if (stat) throw new PhoneFileError('EEXIST', path);
    this.#checkWritable(real, path);
    // The shared storage of a phone is a FAT-like file system, which has no links.
    if (isWithin(real, '/storage')) throw new PhoneFileError('EPERM', path);
    await this.#parts.disk.symlink(target, real);
  }

  async chmod(path: string, permissions: number): Promise<void> {
    const { path: real } = await this.#existing(path, true);
    this.#checkWritable(real, path);
    await this.#parts.disk.chmod(real, permissions);
  }

  async setTimes(path: string, mtimeMs: number): Promise<void> {
    const { path: real } = await this.#existing(path, true);
    this.#checkWritable(real, path);
    await this.#parts.disk.setTimes(real, mtimeMs);
  }

  /** Reads a whole small file. Throws EFBIG over 16 MiB. */
  async read(path: string): Promise<Buffer> {
    const reader = await this.openRead(path);
    try {
      const parts: Buffer[] = [];
      let bytes = 0;
      for (let part = await reader.read(); part; part = await reader.read()) {
        bytes += part.length;
        if (bytes > MAX_WHOLE_BYTES) throw new PhoneFileError('EFBIG', path);
        parts.push(part);
      }
      return Buffer.concat(parts);
    } finally {
      await reader.close();
    }
  }

  async write(path: string, data: string | Uint8Array): Promise<void> {
    const file = await this.receive(path, 0o660);
    try {
      await file.write(Buffer.from(data));
    } catch (error) {
      await file.abort();
      throw error;
    }
    await file.commit({ durable: true });
  }

  async usage(): Promise<{ usedBytes: number; capacityBytes: number }> {
    const { storage } = this.#parts.disk;
    return { usedBytes: await storage.usedBytes(), capacityBytes: storage.capacityBytes };
  }

  async #makeParents(path: string, permissions?: number): Promise<void> {
    const missing: string[] = [];
    let at = path;
    for (;;) {
      const found = await this.#resolve(at, true).catch((error: unknown) => {
        if (error instanceof PhoneFileError && error.code === 'ENOENT') return undefined;
        throw error;
      });
      if (found?.stat) {
        if (found.stat.kind !== 'directory') throw new PhoneFileError('ENOTDIR', path);
        break;
      }
      missing.push(at);
      at = parentPath(at);
    }
    for (const folder of missing.reverse()) {
      await this.mkdir(folder, permissions === undefined ? {} : { permissions }).catch((error: unknown) => {
        // Someone else made it meanwhile.
        if (!(error instanceof PhoneFileError && error.code === 'EEXIST')) throw error;
      });
    }
  }

  /** Resolves a place for a new file: parents are made, and a link in the last place is followed. */
  async #resolveNew(path: string): Promise<Resolved> {
    const clean = absolutePath(path);
    await this.#makeParents(parentPath(clean));
    return this.#resolve(clean, true);
  }

  async #existing(path: string, follow: boolean): Promise<Resolved & { stat: FileStat }> {
    const { path: real, stat } = await this.#resolve(path, follow);
    if (!stat) throw new PhoneFileError('ENOENT', path);
    return { path: real, stat };
  }

  /** Walks the path one name at a time. The last name may be missing, the folders before it may not. */
  async #resolve(path: string, follow: boolean): Promise<Resolved> {
    if (path.includes('\0')) throw new PhoneFileError('EINVAL', path);
    if (path === '') throw new PhoneFileError('ENOENT', path);
    let left = path.split('/').filter((part) => part !== '' && part !== '.');
    let at = '/';
    let stat: FileStat | undefined = await this.#lstatRaw('/');
    for (let links = 0; left.length > 0;) {
      const [name = '', ...rest] = left;
      if (!stat) throw new PhoneFileError('ENOENT', path);
      if (stat.kind !== 'directory') throw new PhoneFileError('ENOTDIR', path);
      left = rest;
      if (name === '..') {
        at = parentPath(at);
        stat = await this.#lstatRaw(at);
        continue;
      }
      const next = joinPath(at, name);
      if (!this.#access(at).traverse) throw new PhoneFileError('EACCES', path);
      stat = await this.#lstatRaw(next);
      if (stat?.kind === 'link' && stat.target !== undefined && (follow || left.length > 0)) {
        if (++links > MAX_LINKS) throw new PhoneFileError('ELOOP', path);
        const target = stat.target.split('/').filter((part) => part !== '' && part !== '.');
        if (stat.target.startsWith('/')) at = '/';
        left = [...target, ...left];
        stat = await this.#lstatRaw(at);
        continue;
      }
      at = next;
    }
    return { path: at, stat };
  }

  async #lstatRaw(path: string): Promise<FileStat | undefined> {
    const node = this.#parts.virtual.get(path);
    if (node) return this.#parts.virtual.stat(path, node);
    return this.#parts.disk.holds(path) ? this.#parts.disk.lstat(path) : undefined;
  }

  #access(path: string): ReturnType<typeof accessOf> {
    return accessOf(this.#parts.user, path);
  }

  #checkWritable(real: string, shown: string): void {
    if (!this.#parts.disk.holds(real)) throw new PhoneFileError('EROFS', shown);
    if (!this.#access(real).write) throw new PhoneFileError('EACCES', shown);
    if (Buffer.byteLength(baseName(real)) > MAX_NAME_BYTES) throw new PhoneFileError('ENAMETOOLONG', shown);
  }

  #checkRemovable(real: string, shown: string): void {
    this.#checkWritable(real, shown);
    if (!this.#access(parentPath(real)).write) throw new PhoneFileError('EACCES', shown);
  }
}

export interface FileTreeParts<Context> {
  disk: Disk;
  virtual: VirtualTree<Context>;
  user: User;
  /** Returns the context that virtual files get when they are read. */
  context: () => Context;
}

interface Resolved {
  path: string;
  stat: FileStat | undefined;
}

const MAX_WHOLE_BYTES = 16 * 1024 * 1024;
/** Most links that are followed on the way to a file, as on Linux. */
const MAX_LINKS = 40;
const MAX_NAME_BYTES = 255;
