import { join } from 'node:path';
import type { Db } from 'mongodb';
import { startEmbeddedMongo } from '../embedded-mongo/embedded-mongo.js';
import type { Lifecycle } from '../kit/process/lifecycle.js';
import type { Log } from '../kit/log/log.js';
import { connectMongo } from '../kit/db/mongo.js';

/** The database that a service keeps its state in, opened and closed with the service. */
export async function openDatabase({
  url,
  urlFile,
  database,
  dataDirectory,
  log,
  lifecycle,
  giveUp,
}: {
  /** Absent: the embedded server, with its data in `<dataDirectory>/database`. */
  url: string | undefined;
  /** The file that the URL was read from, whose login is followed. Absent: it is none. */
  urlFile?: string | undefined;
  database: string;
  dataDirectory: string;
  log: Log;
  lifecycle: Lifecycle;
  /** Called when the embedded server ends by itself: nothing works without it. */
  giveUp: (reason: Error) => void;
}): Promise<Db> {
  let serverUrl = url;
  if (serverUrl === undefined) {
    const server = await startEmbeddedMongo({ directory: join(dataDirectory, 'database'), log });
    lifecycle.add('embedded database', server);
    void server.failed.then(giveUp);
    serverUrl = server.url;
  }
  const connection = await connectMongo({ url: serverUrl, urlFile, database, log });
  lifecycle.add('database connection', connection);
  return connection.database;
}
