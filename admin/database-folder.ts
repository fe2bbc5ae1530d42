import { closeSync, existsSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import { chown, copyFile, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import '../kit/db/mended-driver.js';
import { MongoClient, MongoServerError } from 'mongodb';
import { databaseSocketPath, databaseUrl } from '../embedded-mongo/server.js';

/** The beginning of the name of a folder in which the service copies its database for a user with other rights. */
const OWN_COPY = '.copy-';

/** The age at which such a folder was left by a process that was killed, ms. */
const LEFT_COPY_MS = 24 * 60 * 60_000;

/**
 * Makes the running service copy its database into the empty folder `into`. A service that may not write there copies it in the data
 * folder first. Its user may be another one, or its unit may let it write to no other folder.
 */
export async function copyDatabase(dataDirectory: string, into: string): Promise<void> {
  const socket = databaseSocketPath(join(dataDirectory, 'database'));
  if (!existsSync(socket)) throw notRunning(dataDirectory);
  const client = new MongoClient(databaseUrl(socket), { serverSelectionTimeoutMS: 2_000, retryWrites: false });
  try {
    await client.connect().catch((error: unknown) => {
      throw notRunning(dataDirectory, error);
    });
    const copyTo = (to: string): Promise<unknown> => client.db('admin').command({ backup: 1, to: resolve(to) });
    await copyTo(into).catch(async (error: unknown) => {
      if (!(error instanceof MongoServerError)) throw error;
      await copyByOwnFolder(join(dataDirectory, 'database'), into, copyTo);
    });
  } finally {
    await client.close();
  }
}

async function copyByOwnFolder(
  database: string,
  into: string,
  copyTo: (folder: string) => Promise<unknown>,
): Promise<void> {
  const { uid, gid } = await stat(database);
  const own = await mkdtemp(join(database, OWN_COPY));
  const { mtimeMs: nowMs } = await stat(own);
  for (const name of await readdir(database)) {
    const left = join(database, name);
    if (name.startsWith(OWN_COPY) && (await stat(left)).mtimeMs < nowMs - LEFT_COPY_MS)
      await rm(left, { recursive: true, force: true });
  }
  try {
    if (process.getuid?.() !== uid) await chown(own, uid, gid);
    await copyTo(own).catch((cause: unknown) => {
      throw new Error(
        `The service could not copy its database to ${into}, nor in ${database}. Free space there, and see the service's log.`,
        { cause },
      );
    });
    for (const name of await readdir(own)) await copyFile(join(own, name), join(into, name));
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

export function assertNew(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(`${folder} is not empty. Name a folder that does not exist yet.`);
}

/** Makes the content of a file, or the names in a folder, durable on the disk. */
export function flush(path: string): void {
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
