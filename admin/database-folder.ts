import { createHash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import '../kit/mended-driver.js';
import { MongoClient } from 'mongodb';
import { databaseSocketPath, databaseUrl } from '../embedded-mongo/server.js';
import { lockFolder } from '../kit/folder-lock.js';
import { FOLDER_ID_FILE, HOST_ID_FILE } from '../kit/host-id.js';
import { randomText } from '../kit/ids.js';

/** Files of a backup folder beside its manifest; the ids are left out where the data folder has none. */
const FILES = ['data.mdb', HOST_ID_FILE, FOLDER_ID_FILE] as const;

/** Written last: a folder without it is not a backup. */
const MANIFEST = 'backup.json';

interface Manifest {
  format: 1;
  made_at: string;
  /** The SHA-256 of each file, by name. */
  files: Record<string, string>;
}

/**
 * Copies the database of the service that runs on a data folder, as of one moment, with the ids that its phones are known by. The folder
 * `to` appears whole or not at all: it is made beside and renamed. A killed backup leaves a folder `….partial-…`, to be removed.
 */
export async function backUp(dataDirectory: string, to: string, now: Date): Promise<string> {
  const folder = resolve(to);
  assertNew(folder);
  const partial = `${folder}.partial-${randomText(6)}`;
  mkdirSync(partial, { recursive: true, mode: 0o700 });
  try {
    await copyDatabase(dataDirectory, partial);
    for (const name of [HOST_ID_FILE, FOLDER_ID_FILE]) {
      if (existsSync(join(dataDirectory, name))) copyFileSync(join(dataDirectory, name), join(partial, name));
    }
    const names = FILES.filter((name) => existsSync(join(partial, name)));
    const files: Manifest['files'] = {};
    for (const name of names) {
      files[name] = await digestOf(join(partial, name));
      flush(join(partial, name));
    }
    const manifest: Manifest = { format: 1, made_at: now.toISOString(), files };
    writeFileSync(join(partial, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o600, flush: true });
    renameSync(partial, folder);
    flush(dirname(folder));
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  }
  return folder;
}

/**
 * Puts a backup in the place of the database of a data folder that has none and that no service uses. The database appears by a rename,
 * last: killed before it, the folder has still none, and restoring may be done again.
 */
export async function restore(dataDirectory: string, from: string): Promise<void> {
  const folder = resolve(from);
  const { files } = await verified(folder);
  const lock = lockFolder(dataDirectory);
  try {
    const database = join(dataDirectory, 'database');
    if (existsSync(join(database, 'data.mdb')))
      throw new Error(`${database} has a database already. Move it away, or set DATA_DIR to a new folder.`);
    const partial = join(dataDirectory, 'database.restoring');
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { mode: 0o700 });
    copyFileSync(join(folder, 'data.mdb'), join(partial, 'data.mdb'));
    flush(join(partial, 'data.mdb'));
    for (const name of [HOST_ID_FILE, FOLDER_ID_FILE]) {
      if (files[name] === undefined) continue;
      copyFileSync(join(folder, name), join(dataDirectory, `${name}.restoring`));
      flush(join(dataDirectory, `${name}.restoring`));
      renameSync(join(dataDirectory, `${name}.restoring`), join(dataDirectory, name));
    }
    rmSync(database, { recursive: true, force: true });
    renameSync(partial, database);
    flush(dataDirectory);
  } finally {
    lock.close();
  }
}

/** Makes the running service copy its database into the empty folder `into`. */
export async function copyDatabase(dataDirectory: string, into: string): Promise<void> {
  const socket = databaseSocketPath(join(dataDirectory, 'database'));
  if (!existsSync(socket)) throw notRunning(dataDirectory);
  const client = new MongoClient(databaseUrl(socket), { serverSelectionTimeoutMS: 2_000, retryWrites: false });
  try {
    await client.connect().catch((error: unknown) => {
      throw notRunning(dataDirectory, error);
    });
    await client.db('admin').command({ backup: 1, to: resolve(into) });
  } finally {
    await client.close();
  }
}

export function assertNew(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(`${folder} is not empty. Name a folder that does not exist yet.`);
}

async function verified(folder: string): Promise<Manifest> {
  let manifest: Manifest;
  try {
    manifest = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')) as Manifest;
  } catch (error) {
    throw new Error(`${folder} is not a backup: it has no ${MANIFEST} that can be read.`, { cause: error });
  }
  // The manifest is a file, and may hold anything.
  const format: number = manifest.format;
  if (format !== 1) throw new Error(`The backup ${folder} has format ${format}, this version reads 1.`);
  for (const name of FILES) {
    const digest = manifest.files[name];
    if (digest === undefined && name !== 'data.mdb') continue;
    if (!existsSync(join(folder, name)) || (await digestOf(join(folder, name))) !== digest)
      throw new Error(`The backup ${folder} is damaged: ${name} differs from the backed-up file.`);
  }
  return manifest;
}

/** Reads the file in pieces: a database is easily larger than the largest Buffer. */
async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** Puts a file or a folder's names on the disk. */
function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function notRunning(dataDirectory: string, cause?: unknown): Error {
  return new Error(
    `No service with a database of its own runs on ${dataDirectory}. Start it, or set DATA_DIR; for a MongoDB use mongodump.`,
    { cause },
  );
}
