import { ObjectId } from 'bson';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import type { Clock } from '../kit/async/clock.js';
import { lockFolder } from '../kit/files/folder-lock.js';
import { socketPathIn } from '../kit/files/socket-path.js';
import { serveConnection, type WorkerLog } from './connection.js';
import { CursorTable } from './commands/cursor-table.js';
import { FreeSpace, freeBytesOf } from './store/free-space.js';
import { Store } from './store/store.js';
import { TtlSweeper } from './ttl-sweeper.js';

export interface ServerOptions {
  /** The data folder. It is made when missing. One process uses it at a time. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: WorkerLog;
  /** Free space on the folder's disk, bytes. Absent: it is read from the system. */
  readonly freeBytes?: () => number;
}

export interface RunningServer {
  /** The URL for the driver. */
  readonly url: string;
  readonly sweeper: TtlSweeper;
  /** Ends connections, waits for writes under way, and unlocks the folder. */
  close(): Promise<void>;
}

/** The most connections. The driver's pools of all services together open far fewer. */
const MAX_CONNECTIONS = 1_000;

/** Most bytes for incomplete messages of all connections together. */
const MAX_HELD_BYTES = 192 * 1024 * 1024;

/** Starts the embedded server in the thread that calls this. Throws FolderInUseError, or the error of listening. */
export async function runServer(options: ServerOptions): Promise<RunningServer> {
  const { directory, clock, log, freeBytes = () => freeBytesOf(directory) } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  // The folder is locked before LMDB opens it. Two processes that cannot see each other's ids would damage the data that LMDB shares
  // between them.
  const lock = lockFolder(directory);
  const store = orClose(lock, () => Store.open(directory, new FreeSpace(freeBytes, clock)));
  const cursors = new CursorTable(clock);
  const sweeper = new TtlSweeper(store, clock, log);
  const path = databaseSocketPath(directory);
  const sockets = new Set<Socket>();
  const serving = new Set<Promise<void>>();
  const parts = { store, cursors, clock, processId: new ObjectId() };
  let held = 0;
  const holdBytes = (delta: number): boolean => (held += delta) <= MAX_HELD_BYTES;
  let lastId = 0;
  const listener = createServer((socket) => {
    sockets.add(socket);
    const served = serveConnection(socket, ++lastId, { server: parts, log, holdBytes })
      .catch((error: unknown) => log.error({ err: error }, 'a connection was left'))
      .finally(() => {
        sockets.delete(socket);
        serving.delete(served);
      });
    serving.add(served);
  });
  listener.maxConnections = MAX_CONNECTIONS;

  const close = async (): Promise<void> => {
    listener.close();
    sweeper.close();
    for (const socket of sockets) socket.destroy();
    await Promise.all(serving);
    cursors.close();
    await store.idle();
    await store.close();
    lock.close();
  };

  try {
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      // A process that was killed has left the socket. No other process uses it, because this process has locked the folder.
      rmSync(path, { force: true });
      listener.listen(path, resolve);
    });
    chmodSync(path, 0o600);
  } catch (error) {
    await close();
    throw error;
  }
  sweeper.start();
  return { url: databaseUrl(path), sweeper, close };
}

function orClose<T>(opened: { close(): void }, run: () => T): T {
  try {
    return run();
  } catch (error) {
    opened.close();
    throw error;
  }
}

/** Returns the path of the socket of a folder's server. No other user of the machine may connect to it. */
export function databaseSocketPath(directory: string): string {
  return socketPathIn(directory, 'mongodb.sock');
}

/** A connection string for the driver, without a database name. */
export function databaseUrl(socketPath: string): string {
  return `mongodb://${encodeURIComponent(socketPath)}/?directConnection=true`;
}
