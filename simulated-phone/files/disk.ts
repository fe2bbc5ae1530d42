import { constants, type Stats } from 'node:fs';
import fs from 'node:fs/promises';
import nodePath from 'node:path';
import { KeyedLock } from '../../kit/async/keyed-lock.js';
import { ownerOf } from './access.js';
import { ChangeGate } from './change-gate.js';
import { PhoneFileError, asPhoneFileError } from './file-error.js';
import type { FileStat } from './file-stat.js';
import { isWithin } from './phone-path.js';
import { StorageMeter, type StorageMeterOptions } from './storage-meter.js';

/** The folders of the phone whose content is on the host's disk. */
const ON_DISK = ['/data', '/storage/emulated'];

const MAX_OPEN_FILES = 256;

const LINK_PREFIX = 'phone:';

/**
 * Folder of files that are being received, below the disk's own folder. It is a part neither of the phone's file system nor of snapshots.
 */
export const INCOMING = 'incoming';

/**
 * The part of the phone's file system that lasts, below one host folder. Given paths must already be resolved (no `..`, no link on the
 * way); `FileTree` does that.
 *
 * No path can lead out of the folder, as components cannot hold a slash. A link of the phone is a host link to a single made-up name
 * (`phone:%2Fsdcard`), which the host can follow nowhere. On the host, the owner's permissions to read and write are always set, so that
 * the service can still reach its files.
 *
 * A file may have another name on the host, in a snapshot or in another phone's folder (host/share-tree.ts). Such a file is never changed:
 * an operation that would change it in place gives the phone a copy of its own first. A snapshot copies a file
 * that is open for writing, in place of giving it another name. So a file stays the phone's own while it is open.
 */
export class Disk {
  readonly #root: string;
  readonly storage: StorageMeter;
  #tempCount = 0;
  #openFiles = 0;
  #isOff = false;
  readonly #changes = new ChangeGate();
  /** Operations that move names of files, or replace a file by a copy, run one at a time. */
  readonly #names = new KeyedLock();
  /** Inodes of files that are open for writing, with how often each is open. */
  readonly #written = new Map<number, number>();

  constructor(options: StorageMeterOptions) {
    this.#root = options.root;
    this.storage = new StorageMeter(options);
  }

  holds(path: string): boolean {
    return ON_DISK.some((folder) => isWithin(path, folder));
  }

  /** Returns the host's name of a phone's file. Throws for a path that is not on the disk or not plain. */
  hostPath(path: string): string {
    if (!this.holds(path)) throw new PhoneFileError('EROFS', path);
    const parts = path.split('/').slice(1);
    if (path.includes('\0') || parts.some((part) => part === '' || part === '.' || part === '..'))
      throw new PhoneFileError('EINVAL', path);
    return nodePath.join(this.#root, ...parts);
  }

  async lstat(path: string): Promise<FileStat | undefined> {
    const hostPath = this.hostPath(path);
    try {
      const stat = await fs.lstat(hostPath);
      const shared = {
        permissions: stat.mode & 0o7777,
        mtimeMs: stat.mtimeMs,
        ctimeMs: stat.ctimeMs,
        ino: stat.ino,
        ...ownerOf(path),
      };
      if (stat.isSymbolicLink()) {
        const target = decodeLink(await fs.readlink(hostPath));
        return { ...shared, kind: 'link', permissions: 0o777, sizeBytes: Buffer.byteLength(target), target };
      }
      if (stat.isDirectory()) return { ...shared, kind: 'directory', sizeBytes: 4096 };
      return { ...shared, kind: 'file', sizeBytes: stat.size };
    } catch (error) {
      const failure = asPhoneFileError(error, path);
      if (failure.code === 'ENOENT' || failure.code === 'ENOTDIR') return undefined;
      throw failure;
    }
  }

  async list(path: string): Promise<string[]> {
    return this.#host(path, (hostPath) => fs.readdir(hostPath));
  }

  /** Opens a file. It never follows a link, as paths are resolved before. */
  async open(path: string, flags: number, permissions = 0o644): Promise<fs.FileHandle> {
    const open = (hostPath: string): Promise<fs.FileHandle> =>
      fs.open(hostPath, flags | constants.O_NOFOLLOW, permissions | 0o600);
    if ((flags & (constants.O_WRONLY | constants.O_RDWR)) === 0) {
      return this.#opened(path, () => this.#host(path, open));
    }
    return this.#writing(path, async (hostPath) => {
      await this.#makeOwn(path, { emptied: (flags & constants.O_TRUNC) !== 0 });
      const isNew = (flags & constants.O_CREAT) !== 0 && (await this.lstat(path)) === undefined;
      const handle = await this.#opened(path, () => (isNew ? this.#added(path, () => open(hostPath)) : open(hostPath)));
      const { ino } = await handle.stat();
      this.#written.set(ino, (this.#written.get(ino) ?? 0) + 1);
      onClose(handle, () => {
        const left = (this.#written.get(ino) ?? 1) - 1;
        if (left === 0) this.#written.delete(ino);
        else this.#written.set(ino, left);
      });
      return handle;
    });
  }

  /** Writes to an open file, in place. */
  async writeOpen(path: string, handle: fs.FileHandle, bytes: Uint8Array): Promise<void> {
    await this.#writing(path, () => handle.writeFile(bytes));
  }

  /** Runs `copy` while nothing on the disk changes, with the inodes of the files that are open for writing. */
  still<T>(copy: (open: ReadonlySet<number>) => Promise<T>): Promise<T> {
    return this.#changes.still(() => copy(new Set(this.#written.keys())));
  }

  /** Is called when the phone has lost its power. Resolves when no file is being written to, and none will be. */
  async powerOff(): Promise<void> {
    this.#isOff = true;
    await this.#changes.still(() => Promise.resolve());
  }

  async mkdir(path: string, permissions = 0o771): Promise<void> {
    const make = (hostPath: string): Promise<void> => fs.mkdir(hostPath, { mode: permissions | 0o700 });
    await this.#change(path, (hostPath) => this.#added(path, () => make(hostPath)));
  }

  /** Makes folders below the disk on the phone's first boot; those that exist stay. */
  async prepare(paths: readonly string[]): Promise<void> {
    for (const path of paths)
      await this.#host(path, (hostPath) => fs.mkdir(hostPath, { recursive: true, mode: 0o771 }));
  }

  async unlink(path: string): Promise<void> {
    const stat = await this.lstat(path);
    await this.#rename(path, (hostPath) => fs.unlink(hostPath));
    this.#removed(stat);
  }

  async rmdir(path: string): Promise<void> {
    await this.#change(path, (hostPath) => fs.rmdir(hostPath));
    this.storage.removeEntry();
  }

  async rename(from: string, to: string): Promise<void> {
    if (from === to) return;
    const replaced = await this.lstat(to);
    await this.#rename(from, (hostPath) => fs.rename(hostPath, this.hostPath(to)));
    this.#removed(replaced);
  }

  async symlink(target: string, path: string): Promise<void> {
    await this.#change(path, (hostPath) => this.#added(path, () => fs.symlink(encodeLink(target), hostPath)));
  }

  async chmod(path: string, permissions: number): Promise<void> {
    await this.#change(path, async (hostPath) => {
      await this.#makeOwn(path);
      await fs.chmod(hostPath, (permissions & 0o7777) | 0o600);
    });
  }

  async setTimes(path: string, mtimeMs: number): Promise<void> {
    await this.#change(path, async (hostPath) => {
      await this.#makeOwn(path);
      await fs.utimes(hostPath, mtimeMs / 1000, mtimeMs / 1000);
    });
  }

  /** Opens a fresh host file that the phone does not see. `adopt` makes it visible at `path` once its content is whole. */
  async temporary(path: string): Promise<{ hostPath: string; handle: fs.FileHandle }> {
    await this.#makeIncoming();
    for (;;) {
      const hostPath = this.#temporaryPath();
      try {
        const open = (): Promise<fs.FileHandle> => this.#added(path, () => fs.open(hostPath, 'wx', 0o600));
        return { hostPath, handle: await this.#opened(hostPath, open) };
      } catch (error) {
        // The file was left by a killed process, and is removed at the next boot.
        const failure = asPhoneFileError(error, '');
        if (failure.code !== 'EEXIST') throw failure;
      }
    }
  }

  /** Puts a temporary file in its place, replacing the file that is there. */
  async adopt(hostPath: string, path: string): Promise<void> {
    const replaced = await this.lstat(path);
    await this.#rename(path, (target) => fs.rename(hostPath, target));
    this.#removed(replaced);
  }

  async discard(hostPath: string, sizeBytes: number): Promise<void> {
    await fs.rm(hostPath, { force: true });
    this.storage.removeEntry(sizeBytes);
  }

  /** Removes files that a killed process had not received completely. */
  async sweep(): Promise<void> {
    await fs.rm(this.#incoming, { recursive: true, force: true });
  }

  /** Opens a file within the bound of its phone. All phones share the process's number of open files, so none may take them all. */
  async #opened(path: string, open: () => Promise<fs.FileHandle>): Promise<fs.FileHandle> {
    if (this.#openFiles >= MAX_OPEN_FILES) throw new PhoneFileError('EMFILE', path);
    this.#openFiles++;
    try {
      const handle = await open();
      onClose(handle, () => this.#openFiles--);
      return handle;
    } catch (error) {
      this.#openFiles--;
      throw error;
    }
  }

  /** Makes a file, folder or link, whose room is taken first. */
  async #added<T>(path: string, make: () => Promise<T>): Promise<T> {
    await this.storage.addEntry(path);
    try {
      return await make();
    } catch (error) {
      this.storage.removeEntry();
      throw error;
    }
  }

  #removed(stat: FileStat | undefined): void {
    if (stat !== undefined) this.storage.removeEntry(stat.kind === 'file' ? stat.sizeBytes : 0);
  }

  /** Replaces a file that has other names by a copy for this phone, in one rename. Throws ENOSPC when the host has too little room. */
  async #makeOwn(path: string, { emptied = false } = {}): Promise<void> {
    const hostPath = this.hostPath(path);
    if (!(await isShared(hostPath))) return;
    await this.#names.run('', async () => {
      // The file is looked at again, as another operation may have copied it meanwhile, or moved it away.
      const stat = await isShared(hostPath);
      if (!stat) return;
      await this.storage.copy(emptied ? 0 : stat.size, path);
      await this.#makeIncoming();
      const copy = this.#temporaryPath();
      try {
        if (emptied) await fs.writeFile(copy, '', { flag: 'wx' });
        else await fs.copyFile(hostPath, copy, constants.COPYFILE_FICLONE);
        await fs.chmod(copy, stat.mode & 0o7777);
        await fs.utimes(copy, stat.atime, stat.mtime);
        await fs.rename(copy, hostPath);
      } catch (error) {
        await fs.rm(copy, { force: true });
        throw error;
      }
    });
  }

  async #makeIncoming(): Promise<void> {
    // `mkdir` returns undefined where the folder was there.
    if ((await fs.mkdir(this.#incoming, { recursive: true })) !== undefined) this.storage.grow(0, 1);
  }

  get #incoming(): string {
    return nodePath.join(this.#root, INCOMING);
  }

  #temporaryPath(): string {
    return nodePath.join(this.#incoming, String(this.#tempCount++));
  }

  /** Runs a change of the disk, which waits while a snapshot is taken. */
  #change<T>(path: string, run: (hostPath: string) => Promise<T>): Promise<T> {
    return this.#changes.change(() => this.#host(path, run));
  }

  /** Runs a change that writes to a file in place. Throws EIO after the phone was powered off. */
  #writing<T>(path: string, run: (hostPath: string) => Promise<T>): Promise<T> {
    return this.#change(path, (hostPath) => {
      if (this.#isOff) throw new PhoneFileError('EIO', path);
      return run(hostPath);
    });
  }

  /** Runs a change that moves the name of a file. */
  async #rename(path: string, run: (hostPath: string) => Promise<void>): Promise<void> {
    await this.#changes.change(() => this.#names.run('', () => this.#host(path, run)));
  }

  async #host<T>(path: string, run: (hostPath: string) => Promise<T>): Promise<T> {
    try {
      return await run(this.hostPath(path));
    } catch (error) {
      throw asPhoneFileError(error, path);
    }
  }
}

/** Calls `listener` when the file is closed. Node documents the event, but its types leave it out. */
function onClose(handle: fs.FileHandle, listener: () => void): void {
  const events: { once(event: 'close', listener: () => void): unknown } = handle as never;
  events.once('close', listener);
}

/** Returns the file's stat when it has other names on the host. */
async function isShared(hostPath: string): Promise<Stats | undefined> {
  const stat = await fs.lstat(hostPath).catch(() => undefined);
  return stat?.isFile() === true && stat.nlink > 1 ? stat : undefined;
}

function encodeLink(target: string): string {
  return LINK_PREFIX + encodeURIComponent(target);
}

function decodeLink(link: string): string {
  return link.startsWith(LINK_PREFIX) ? decodeURIComponent(link.slice(LINK_PREFIX.length)) : link;
}
