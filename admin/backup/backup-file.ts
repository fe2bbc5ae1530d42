import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { randomText } from '../../kit/text/ids.js';
import { BACKUP_FILE, isFilePath, isTreePath } from './data-folder.js';

/** The folder with files and trees, each under its path in the data folder. */
export const DATA = 'data';
/** The folder with the list of each tree's entries, `<path of the tree>.json`. */
export const LISTS = 'lists';
export const DATABASE = 'data.mdb';
/** The folder with the documents of a MongoDB. */
export const DOCUMENTS = 'documents';

/** The name of a folder in which a backup is made. A killed backup leaves it; what it holds may not be durable. */
const PARTIAL = /\.partial-[a-z0-9]+$/i;

export function partialName(folder: string): string {
  return `${folder}.partial-${randomText(6)}`;
}

export function isPartial(folder: string): boolean {
  return PARTIAL.test(folder);
}

/**
 * The content of `backup.json`. Format 1, of earlier releases, has the first three fields, and the files stand beside it. Format 3 has the
 * documents of a MongoDB in place of `data.mdb`.
 */
export interface BackupFile {
  format: 1 | 2 | 3;
  made_at: string;
  /** The SHA-256 of each file: `data.mdb`, and the others by their paths in the data folder. */
  files: Record<string, string>;
  /** The documents of a MongoDB, in format 3. */
  mongodb?: SavedDocuments;
  /** Phones and snapshots, by the paths of their folders in the data folder. */
  trees: Record<string, { bytes: number; checksum: string; list_sha256: string }>;
  /** Phones and snapshots that the database has, and the backup has not, each with the reason. */
  left_out: LeftOut[];
  /** The images that the phones were made of, for an engine that has none of them. */
  images: { digest: string; source?: string }[];
  /** The names of the settings that the service was started with. */
  settings: string[];
  /** Which phones were chosen: `stopped`, `all` or `none`. */
  phones: string;
}

/** The documents of a MongoDB in a backup. */
export interface SavedDocuments {
  /** The name that the database had. */
  database: string;
  /** All of them are as of one moment. False: each collection is of its own, as the server is no replica set. */
  one_moment: boolean;
  /** The collections; the documents of the first are in `documents/0.bson`. */
  collections: SavedCollection[];
}

export interface SavedCollection {
  name: string;
  documents: number;
  sha256: string;
  /** The indexes as the server lists them, in extended JSON. */
  indexes: object[];
}

export interface LeftOut {
  /** The id of the phone or the snapshot. */
  id: string;
  /** The device's name; absent for a snapshot. */
  device?: string;
  reason: string;
}

/** The list of a tree's entries. */
export interface TreeList {
  sizeBytes: number;
  checksum: string;
  entries: string[];
  /** The facts of the original files, by path; a later backup need not copy a file whose facts are the same. */
  facts: Record<string, string>;
}

/** The folder holds no backup that this version can restore. */
export class UnreadableBackup extends Error {
  override name = 'UnreadableBackup';
}

/** Reads and checks `backup.json`. Throws an error of one line. */
export function readBackupFile(folder: string): BackupFile {
  if (isPartial(folder))
    throw new UnreadableBackup(`${folder} was left by an interrupted backup. Remove it, and use another backup.`);
  let read: Partial<BackupFile> & { format?: number };
  try {
    const parsed: unknown = JSON.parse(readFileSync(join(folder, BACKUP_FILE), 'utf8'));
    if (!isRecord(parsed)) throw new Error('the file holds no object');
    read = parsed;
  } catch (error) {
    throw new UnreadableBackup(`${folder} is not a backup: it has no ${BACKUP_FILE} that can be read.`, {
      cause: error,
    });
  }
  const { format } = read;
  if (format !== 1 && format !== 2 && format !== 3)
    throw new UnreadableBackup(`The backup ${folder} has format ${format}, this version reads 1, 2 and 3.`);
  const backup: BackupFile = {
    ...{ made_at: '', files: {}, trees: {}, left_out: [], images: [], settings: [], phones: 'none' },
    ...read,
    format,
  };
  if (![backup.files, backup.trees].every(isRecord) || !Object.values(backup.trees).every(isRecord))
    throw damaged(folder, `${BACKUP_FILE} names no files or no trees`);
  if (![backup.left_out, backup.images, backup.settings].every(Array.isArray))
    throw damaged(folder, `${BACKUP_FILE} has lists that are none`);
  const strange = [
    ...Object.keys(backup.files).filter((path) => !isFilePath(path)),
    ...Object.keys(backup.trees).filter((path) => !isTreePath(path)),
  ];
  const isNamed = format === 3 ? isSavedDocuments(backup.mongodb) : backup.files[DATABASE] !== undefined;
  if (!isNamed) throw damaged(folder, `${BACKUP_FILE} names no database`);
  if (strange.length > 0) throw damaged(folder, `${BACKUP_FILE} names the path ${strange[0]?.slice(0, 200)}`);
  return backup;
}

function isSavedDocuments(value: unknown): value is SavedDocuments {
  return (
    isRecord(value) &&
    Array.isArray(value['collections']) &&
    value['collections'].every(
      (one) =>
        isRecord(one) &&
        [one['name'], one['sha256']].every((text) => typeof text === 'string') &&
        typeof one['documents'] === 'number' &&
        Array.isArray(one['indexes']),
    )
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns where a backup has a file of the data folder. */
export function fileIn(folder: string, { format }: Pick<BackupFile, 'format'>, path: string): string {
  return format === 1 || path === DATABASE ? join(folder, path) : join(folder, DATA, path);
}

/** Returns where a backup has the documents of a collection, by the collection's place in its list. */
export function documentsFile(folder: string, at: number): string {
  return join(folder, DOCUMENTS, `${at}.bson`);
}

export function treeIn(folder: string, path: string): string {
  return join(folder, DATA, path);
}

/** Reads the list of a tree. Throws where the list is not the one that the backup was made with. */
export function readList(folder: string, file: Pick<BackupFile, 'trees'>, path: string): TreeList {
  if (!isListWhole(folder, file, path)) throw damaged(folder, `the list of ${path} differs or is missing`);
  return JSON.parse(readFileSync(listIn(folder, path), 'utf8')) as TreeList;
}

export function isListWhole(folder: string, { trees }: Pick<BackupFile, 'trees'>, path: string): boolean {
  const list = listIn(folder, path);
  return existsSync(list) && sha256(readFileSync(list, 'utf8')) === trees[path]?.list_sha256;
}

export function listIn(folder: string, path: string): string {
  return join(folder, LISTS, `${path}.json`);
}

export function damaged(folder: string, what: string, cause?: unknown): UnreadableBackup {
  return new UnreadableBackup(`The backup ${folder} is damaged: ${what}. Use another backup.`, { cause });
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Reads the file in pieces: a database is easily larger than the largest Buffer. */
export async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
