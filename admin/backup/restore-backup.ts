import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Clock } from '../../kit/async/clock.js';
import { FOLDER_ID_FILE } from '../../kit/files/host-id.js';
import { lockFolder } from '../../kit/files/folder-lock.js';
import { randomText } from '../../kit/text/ids.js';
import { flushDisk } from '../../phone/files/flush-disk.js';
import { isDiskFull } from '../../phone/files/no-room.js';
import { unlessMissing } from '../../phone/files/path-exists.js';
import { removeTree } from '../../phone/files/remove-tree.js';
import { flush } from '../database-folder.js';
import { type BackupFile, DATABASE, fileIn, type SavedDocuments, treeIn } from './backup-file.js';
import { fillTree, type SharedFiles } from './fill-tree.js';
import { type MongoPlace, withMongo } from './mongo-place.js';
import type { OnProgress } from './progress.js';
import { restoreDocuments } from './restore-documents.js';
import { assertRestorable } from './restoring-database.js';
import { assertCopied, factsOf } from './tree-facts.js';
import { verifyBackup } from './verify-backup.js';

export interface RestoreOptions {
  dataDirectory: string;
  /** Absent: the database is the embedded one in the data folder. */
  mongodb?: MongoPlace | undefined;
  /** The MongoDB stays as it is, as another host of the installation has restored it. */
  isForData?: boolean;
  from: string;
  onProgress: OnProgress;
  clock: Clock;
}

export interface Restored {
  file: BackupFile;
  /** Phones and snapshots that the data folder had already, and that stay as they are. */
  kept: string[];
}

/** The folder in which everything of one folder is put together. */
const RESTORING = '.restoring';

/**
 * Restores a backup into a data folder that has no database and that no service uses. Everything is copied into folders `.restoring` first,
 * made durable, and put in place by renames; the last one is that of the database. If the process is killed earlier, the folder still has
 * no database, and the same command can be given again. Phones that the data folder has already stay as they are.
 *
 * A MongoDB has to be empty, and is filled last (restore-documents.ts). Killed meanwhile, it lets no service start, and the same command
 * begins it again.
 *
 * The database, and each kind of phone, may be on a disk of its own: each has its own `.restoring`, as a rename stays on one disk.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { dataDirectory, mongodb, from, onProgress, clock } = options;
  const folder = resolve(from);
  const database = join(dataDirectory, 'database');
  const file = await verifyBackup(folder, onProgress);
  const documents = documentsDue(file, options);
  if (documents !== undefined) await withMongo(documents.place, assertRestorable);
  const isEmbedded = mongodb === undefined;
  await assertOwnFolder(dataDirectory, folder, file);
  const lock = lockFolder(dataDirectory);
  const paths = Object.keys(file.trees);
  const files = Object.keys(file.files).filter((path) => path !== DATABASE);
  const parents = [...new Set(['', ...(isEmbedded ? ['database'] : []), ...[...paths, ...files].map(parentOf)])];
  try {
    if (isEmbedded && existsSync(join(database, DATABASE)))
      throw new Error(`${database} has a database already. Move it away, or set DATA_DIR to a new folder.`);
    for (const parent of parents) await clear(join(dataDirectory, parent));
    for (const parent of parents) await mkdir(join(dataDirectory, parent, RESTORING), { recursive: true, mode: 0o700 });
    const kept = paths.filter((path) => existsSync(join(dataDirectory, path)));
    const due = paths.filter((path) => !kept.includes(path));
    await copyAll({ dataDirectory, folder, file, due, onProgress, clock });
    for (const parent of parents) await flushDisk(join(dataDirectory, parent));
    for (const path of [...due, ...files]) {
      await mkdir(dirname(join(dataDirectory, path)), { recursive: true, mode: 0o700 });
      await rename(scratchOf(dataDirectory, path), join(dataDirectory, path));
    }
    for (const parent of parents) await flushDisk(join(dataDirectory, parent));
    if (documents !== undefined) await restoreDocuments({ ...documents, folder, clock });
    if (!isEmbedded) return { file, kept };
    await rm(join(database, 'lock.mdb'), { force: true });
    await rename(scratchOf(dataDirectory, join('database', DATABASE)), join(database, DATABASE));
    flush(database);
    return { file, kept };
  } catch (error) {
    throw isDiskFull(error)
      ? new Error(`${dataDirectory} has too little room for the backup. Use a larger disk.`, { cause: error })
      : error;
  } finally {
    for (const parent of parents) await clear(join(dataDirectory, parent));
    lock.close();
  }
}

/** Throws where the data folder belongs to another installation: its phones are found by its own id and keys. */
async function assertOwnFolder(dataDirectory: string, folder: string, file: BackupFile): Promise<void> {
  if (file.files[FOLDER_ID_FILE] === undefined) return;
  const there = await readFile(join(dataDirectory, FOLDER_ID_FILE), 'utf8').catch(unlessMissing);
  const saved = await readFile(fileIn(folder, file, FOLDER_ID_FILE), 'utf8');
  if (there !== undefined && there.trim() !== saved.trim())
    throw new Error(
      `${dataDirectory} is the data folder of another host. Restore its own backup, or set DATA_DIR to a new folder.`,
    );
}

/** Returns what is to be restored to the MongoDB; undefined: nothing. Throws where the backup is of the other kind of database. */
function documentsDue(
  { mongodb: saved }: BackupFile,
  { mongodb: place, isForData = false }: RestoreOptions,
): { place: MongoPlace; saved: SavedDocuments } | undefined {
  if (saved === undefined && place === undefined) {
    if (isForData) throw new Error('--data-only is for hosts that share a MongoDB: MONGODB_URL is not set.');
    return undefined;
  }
  if (saved === undefined || place === undefined)
    throw new Error(
      saved === undefined
        ? 'The backup has an embedded database, and MONGODB_URL is set. Restore without it; docs/database.md has the way to MongoDB.'
        : 'The backup has the documents of a MongoDB. Set MONGODB_URL to a MongoDB.',
    );
  return isForData ? undefined : { place, saved };
}

/** The folder of the data folder that a path is in; it may be the root of a disk. '' for a file of the data folder itself. */
function parentOf(path: string): string {
  const parent = dirname(path);
  return parent === '.' ? '' : parent;
}

function scratchOf(dataDirectory: string, path: string): string {
  const parent = parentOf(path);
  return join(dataDirectory, parent, RESTORING, path.slice(parent.length));
}

/**
 * Removes what this restore, or one that was killed, put together. It is renamed first: the copying program of a killed restore may still
 * run, and then finds its folder no more.
 */
async function clear(parent: string): Promise<void> {
  const old = `${RESTORING}.old-`;
  await rename(join(parent, RESTORING), join(parent, `${old}${randomText(6)}`)).catch(unlessMissing);
  for (const name of (await readdir(parent).catch(unlessMissing)) ?? [])
    if (name.startsWith(old)) await removeTree(join(parent, name));
}

interface CopyAllOptions extends Pick<RestoreOptions, 'dataDirectory' | 'onProgress' | 'clock'> {
  folder: string;
  file: BackupFile;
  /** The trees that the data folder does not have. */
  due: readonly string[];
}

async function copyAll({ dataDirectory, folder, file, due, onProgress, clock }: CopyAllOptions): Promise<void> {
  const shared: SharedFiles = new Map();
  for (const [at, path] of due.entries()) {
    onProgress({ done: at, of: due.length, path });
    const [tree, fresh] = [treeIn(folder, path), scratchOf(dataDirectory, path)];
    await mkdir(fresh, { recursive: true, mode: 0o700 });
    const facts = await factsOf(tree, clock.now());
    await fillTree(tree, fresh, { facts, shared });
    await assertCopied(facts, fresh);
  }
  onProgress({ done: due.length, of: due.length, path: '' });
  for (const path of Object.keys(file.files)) {
    const to = scratchOf(dataDirectory, path === DATABASE ? join('database', DATABASE) : path);
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await copyFile(fileIn(folder, file, path), to);
  }
}
