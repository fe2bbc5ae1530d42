import { join } from 'node:path';
import type { Db } from 'mongodb';
import { startEmbeddedMongo } from '../embedded-mongo/embedded-mongo.js';
import type { Lifecycle } from './lifecycle.js';
import type { Log } from './log.js';
import { connectMongo } from './mongo.js';

export interface OpenDatabaseOptions {
  /** Absent: the embedded server, with its data in `<dataDirectory>/database`. */
  url: string | undefined;
  database: string;
  dataDirectory: string;
  log: Log;
  lifecycle: Lifecycle;
  /** Called when the embedded server ends by itself: nothing works without it. */
  giveUp: (reason: Error) => void;
}

/** The database that a service keeps its state in, opened and closed with the service. */
export async function openDatabase({
  url,
  database,
  dataDirectory,
  log,
  lifecycle,
  giveUp,
}: OpenDatabaseOptions): Promise<Db> {
  let serverUrl = url;
  if (serverUrl === undefined) {
    const server = await startEmbeddedMongo({ directory: join(dataDirectory, 'database'), log });
    lifecycle.add('embedded database', server);
    void server.failed.then(giveUp);
    serverUrl = server.url;
  }
  const connection = await connectMongo({ url: serverUrl, database, log });
  lifecycle.add('database connection', connection);
  return connection.database;
}
