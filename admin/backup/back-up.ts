import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { chmod, copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Clock } from '../../kit/async/clock.js';
import { SET_SETTINGS_FILE } from '../../kit/config/set-settings.js';
import { FOLDER_ID_FILE } from '../../kit/files/host-id.js';
import { TooManyFiles } from '../../phone/files/manifest.js';
import { flushDisk } from '../../phone/files/flush-disk.js';
import { isDiskFull } from '../../phone/files/no-room.js';
import { unlessMissing } from '../../phone/files/path-exists.js';
import { removeTree } from '../../phone/files/remove-tree.js';
import { assertNew, copyDatabase, flush } from '../database-folder.js';
import { contentOfDocuments, type DatabaseContent, readContent } from './backed-up-database.js';
import {
  type BackupFile,
  DATA,
  DATABASE,
  digestOf,
  fileIn,
  isPartial,
  type LeftOut,
  partialName,
  readBackupFile,
  UnreadableBackup,
  treeIn,
} from './backup-file.js';
import { choose, missing } from './choose.js';
import { BACKUP_FILE, listDataFolder } from './data-folder.js';
import type { MongoPlace } from './mongo-place.js';
import type { OnProgress } from './progress.js';
import { saveDocuments } from './save-documents.js';
import { type EarlierBackup, saveTree, TreeChanged, type TreeParts } from './save-tree.js';

/** Keeps a phone that is on still, as long as `use` runs; `use` gets what its files are made of. */
export type HoldPhone = (phoneId: string, use: (parts: TreeParts) => Promise<void>) => Promise<void>;

export interface BackUpOptions {
  dataDirectory: string;
  /** Absent: the database is the embedded one in the data folder. */
  mongodb?: MongoPlace | undefined;
  to: string;
  /**
   * The phones that are saved: those that are off, these and those that are on, or none. Snapshots are saved unless it is `none`. The
   * descriptions of phones on volumes are saved always.
   */
  phones: 'stopped' | 'all' | 'none';
  hold: HoldPhone;
  onProgress: OnProgress;
  clock: Pick<Clock, 'now'>;
}

export interface BackedUp {
  folder: string;
  file: BackupFile;
  /** Phones and snapshots that were chosen, and could not be saved. */
  failed: LeftOut[];
}

/**
 * What the folder of a phone on a volume has. The folder `data` is empty, and a phone without it counts as damaged. Files that a rename is
 * about to put in place are left out: one that vanishes meanwhile is no deleted phone.
 */
const DESCRIPTION = ['phone.json', 'data'];

/** How often a phone is copied that changes meanwhile. */
const MAX_TRIES = 3;

/** Most characters of the reason for which a phone is left out. */
const MAX_REASON_CHARS = 300;

/**
 * Copies what a service keeps in its data folder, while it runs: the database as of one moment, keys, the phones that are off at that
 * moment, and snapshots. The folder `to` appears whole or not at all: it is made under another name and renamed. A killed backup leaves a
 * folder `….partial-…`, which may be removed. Files that the newest backup beside it has already are not copied again.
 */
export async function backUp(options: BackUpOptions): Promise<BackedUp> {
  const folder = resolve(options.to);
  assertReplaceable(folder);
  assertNew(folder);
  const partial = partialName(folder);
  await mkdir(join(partial, DATA), { recursive: true, mode: 0o700 });
  try {
    const { file, failed } = await fill(partial, folder, options);
    await writeFile(join(partial, BACKUP_FILE), `${JSON.stringify(file, undefined, 2)}\n`, { mode: 0o600 });
    await flushDisk(partial);
    await rename(partial, folder);
    flush(dirname(folder));
    return { folder, file, failed };
  } catch (error) {
    await removeTree(partial);
    throw error;
  }
}

async function fill(partial: string, folder: string, options: BackUpOptions): Promise<Omit<BackedUp, 'folder'>> {
  const { dataDirectory, mongodb, phones, hold, onProgress, clock } = options;
  const madeAt = new Date(clock.now());
  const database = await unlessFull(() =>
    mongodb === undefined ? copyEmbedded(dataDirectory, partial) : copyDocuments(mongodb, partial),
  );
  const { content } = database;
  // The folder is listed after the database was copied: a phone that is made from now on is in neither.
  const found = await listDataFolder(dataDirectory);
  const file: BackupFile = {
    ...{ format: 2, made_at: madeAt.toISOString(), phones, trees: {}, left_out: [] },
    ...database.described,
    images: await imagesOf(dataDirectory, found.phones),
    settings: await linesOf(join(dataDirectory, SET_SETTINGS_FILE)),
  };
  for (const path of found.strange)
    file.left_out.push({ id: path, reason: 'its name is not one that a service gives to a file' });
  // Backups may be made in a folder of the data folder, which holds them alone.
  const own = relative(dataDirectory, folder).split(sep)[0] ?? '';
  const isOfPhones = existsSync(join(dataDirectory, own, 'phones'));
  for (const path of found.files)
    if (isOfPhones || !path.startsWith(`${own}/`)) await unlessFull(() => saveFile(dataDirectory, partial, path, file));
  const failed: LeftOut[] = [];
  const earlier = newestBeside(folder, dataDirectory);
  const shared = new Map<string, Buffer>();
  const choices = choose(content, found, phones);
  for (const [at, { path, left, isHeld, isDescription }] of choices.entries()) {
    onProgress({ done: at, of: choices.length, path });
    let saved: BackupFile['trees'][string] | undefined;
    const save = async (parts: TreeParts): Promise<void> => {
      saved = await saveTree({ into: partial, path, parts, shared, earlier, clock });
    };
    const parts = isDescription ? DESCRIPTION : [''];
    const present: TreeParts = parts.map((part) => ({ at: part, from: join(dataDirectory, path, part) }));
    const copy = (): Promise<void> => unlessChanged(() => (isHeld ? hold(left.id, save) : save(present)));
    const problem = left.reason === '' ? await reasonOf(copy) : { reason: left.reason, isFailure: false };
    if (problem === undefined && saved !== undefined) file.trees[path] = saved;
    if (problem === undefined) continue;
    await removeTree(treeIn(partial, path));
    const leftOut = { ...left, reason: problem.reason };
    file.left_out.push(leftOut);
    if (problem.isFailure) failed.push(leftOut);
  }
  onProgress({ done: choices.length, of: choices.length, path: '' });
  file.left_out.push(...missing(content, file, phones));
  return { file, failed };
}

/** The database in the folder of a backup: its part of `backup.json`, and what is chosen by it. */
interface CopiedDatabase {
  described: Pick<BackupFile, 'files'> & Partial<Pick<BackupFile, 'format' | 'mongodb'>>;
  content: DatabaseContent;
}

async function copyEmbedded(dataDirectory: string, partial: string): Promise<CopiedDatabase> {
  await copyDatabase(dataDirectory, partial);
  await chmod(join(partial, DATABASE), 0o600);
  const content = await readContent(partial);
  return { described: { files: { [DATABASE]: await digestOf(join(partial, DATABASE)) } }, content };
}

async function copyDocuments(place: MongoPlace, partial: string): Promise<CopiedDatabase> {
  const mongodb = await saveDocuments(place, partial);
  return { described: { format: 3, files: {}, mongodb }, content: await contentOfDocuments(partial, mongodb) };
}

/** Copies a single file. One that has vanished since it was listed belonged to a phone that was deleted. */
async function saveFile(dataDirectory: string, partial: string, path: string, file: BackupFile): Promise<void> {
  const to = fileIn(partial, file, path);
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const isCopied = await copyFile(join(dataDirectory, path), to).then(() => true, unlessMissing);
  if (isCopied === true) file.files[path] = await digestOf(to);
}

async function unlessChanged(copy: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await copy();
      return;
    } catch (error) {
      if (!(error instanceof TreeChanged) || tries === MAX_TRIES) throw error;
    }
  }
}

/** The folder is replaced by a rename at the end, after all copies. So one that cannot be replaced is refused before. */
function assertReplaceable(folder: string): void {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory()) throw new Error(`${folder} is a file or a link. Name a folder that does not exist yet.`);
  if (found.dev !== statSync(dirname(folder)).dev)
    throw new Error(`${folder} is a disk of its own. Name a folder on it that does not exist yet.`);
}

function noRoom(cause: unknown): Error {
  return new Error('There is no room left for the backup. Free space, or name a folder on another disk.', { cause });
}

async function unlessFull<T>(work: () => Promise<T>): Promise<T> {
  return work().catch((error: unknown) => {
    throw isDiskFull(error) ? noRoom(error) : error;
  });
}

/** Copies a phone or a snapshot; returns why it is left out. A full disk ends the backup, as nothing else would fit either. */
async function reasonOf(copy: () => Promise<void>): Promise<{ reason: string; isFailure: boolean } | undefined> {
  try {
    await copy();
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    if (isDiskFull(error)) throw noRoom(error);
    if (error instanceof TreeChanged)
      return { reason: 'it was started or changed while it was copied', isFailure: false };
    if (code === 'ENOENT') return { reason: 'it was deleted while it was copied', isFailure: false };
    if (error instanceof TooManyFiles) return { reason: `it has too many files: ${error.message}`, isFailure: true };
    return { reason: error.message.slice(0, MAX_REASON_CHARS), isFailure: true };
  }
}

/** The images of all phones, those that are on among them. */
async function imagesOf(dataDirectory: string, phones: readonly string[]): Promise<BackupFile['images']> {
  const images = new Map<string, BackupFile['images'][number]>();
  for (const path of phones) {
    const text = await readFile(join(dataDirectory, path, 'phone.json'), 'utf8').catch(unlessMissing);
    const { digest, source } = described(text);
    if (typeof digest !== 'string') continue;
    images.set(digest, { digest, ...(typeof source === 'string' && { source }) });
  }
  return [...images.values()];
}

/** A description that cannot be parsed is that of a damaged phone; it names no image. */
function described(text: string | undefined): { digest?: unknown; source?: unknown } {
  try {
    return JSON.parse(text ?? '{}') as object;
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

async function linesOf(path: string): Promise<string[]> {
  const text = (await readFile(path, 'utf8').catch(unlessMissing)) ?? '';
  return text.split('\n').filter((line) => line !== '');
}

/** Finds the newest backup of this data folder in the folder in which the new one is made. */
function newestBeside(folder: string, dataDirectory: string): EarlierBackup | undefined {
  const id = join(dataDirectory, FOLDER_ID_FILE);
  const parent = dirname(folder);
  let newest: EarlierBackup | undefined;
  for (const name of readdirSync(parent)) {
    const other = join(parent, name);
    if (isPartial(name) || !existsSync(join(other, BACKUP_FILE))) continue;
    const ownId = join(other, DATA, FOLDER_ID_FILE);
    if (!existsSync(ownId) || !existsSync(id) || readFileSync(ownId, 'utf8') !== readFileSync(id, 'utf8')) continue;
    const file = readableFile(other);
    if (file !== undefined && (newest === undefined || file.made_at > newest.file.made_at))
      newest = { folder: other, file };
  }
  return newest;
}

/** Undefined for a backup that was damaged, or that a newer version made: a new backup must not depend on it. */
function readableFile(folder: string): BackupFile | undefined {
  try {
    return readBackupFile(folder);
  } catch (error) {
    if (error instanceof UnreadableBackup) return undefined;
    throw error;
  }
}
