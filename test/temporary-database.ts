import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Db } from 'mongodb';
import { startEmbeddedMongo } from '../embedded-mongo/embedded-mongo.js';
import { randomText } from '../kit/ids.js';
import { silentLog } from '../kit/log.js';
import { connectMongo } from '../kit/mongo.js';

export interface TemporaryDatabase {
  database: Db;
  close(): Promise<void>;
}

/** A database that nobody else uses: on MONGODB_URL when that is set, else on an embedded server of its own. */
export async function openTemporaryDatabase(): Promise<TemporaryDatabase> {
  const name = `test_${randomText(10)}`;
  const url = process.env['MONGODB_URL'];
  if (url !== undefined) {
    const connection = await connectMongo({ url, database: name, log: silentLog });
    return {
      database: connection.database,
      close: async () => {
        await connection.database.dropDatabase();
        await connection.close();
      },
    };
  }
  const directory = mkdtempSync(join(tmpdir(), 'cloudphone-database-'));
  const server = await startEmbeddedMongo({ directory, log: silentLog });
  const connection = await connectMongo({ url: server.url, database: name, log: silentLog });
  return {
    database: connection.database,
    close: async () => {
      await connection.close();
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
