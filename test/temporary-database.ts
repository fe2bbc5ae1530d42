import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Db } from 'mongodb';
import { startEmbeddedMongo } from '../embedded-mongo/embedded-mongo.js';
import { randomText } from '../kit/text/ids.js';
import { silentLog } from '../kit/log/log.js';
import { connectMongo } from '../kit/db/mongo.js';

export interface TemporaryDatabase {
  database: Db;
  close(): Promise<void>;
}

/**
 * A database that nobody else uses: on MONGODB_URL when that is set, else on this process's embedded server. A test run has hundreds of
 * databases. A server for each took 0.3 s of the processor more than a name on a shared one.
 */
export async function openTemporaryDatabase(): Promise<TemporaryDatabase> {
  const name = `test_${randomText(10)}`;
  const url = process.env['MONGODB_URL'];
  const connection = await connectMongo({ url: url ?? (await embeddedUrl()), database: name, log: silentLog });
  return {
    database: connection.database,
    close: async () => {
      // The embedded server has no such command; its folder goes with the process.
      if (url !== undefined) await connection.database.dropDatabase();
      await connection.close();
    },
  };
}

let started: Promise<string> | undefined;

/** Starts the embedded server of this process with the first call. It ends with the process, which it does not keep running. */
function embeddedUrl(): Promise<string> {
  started ??= (async () => {
    const directory = mkdtempSync(join(tmpdir(), 'cloudphone-database-'));
    process.once('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
    const server = await startEmbeddedMongo({ directory, log: silentLog });
    server.unref();
    return server.url;
  })();
  return started;
}
