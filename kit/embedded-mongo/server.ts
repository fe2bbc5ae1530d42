import { ObjectId } from 'bson';
import { mkdirSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { Clock } from '../clock.js';
import { serveConnection, type WorkerLog } from './connection.js';
import { CursorTable } from './cursor-table.js';
import { FreeSpace, freeBytesOf } from './store/free-space.js';
import { takeFolder } from './store/owner-lock.js';
import { Store } from './store/store.js';
import { TtlSweeper } from './ttl-sweeper.js';

export interface ServerOptions {
  /** Made when missing. Held by one process at a time. */
  readonly directory: string;
  /** On 127.0.0.1; 0 picks a free one. */
  readonly port: number;
  readonly clock: Clock;
  readonly log: WorkerLog;
  /** What the folder's disk has left, bytes. Absent: it is asked. */
  readonly freeBytes?: () => number;
}

export interface RunningServer {
  readonly port: number;
  readonly sweeper: TtlSweeper;
  /** Ends connections, waits for writes under way, and lets go of the folder. */
  close(): Promise<void>;
}

/** Many times what the driver's pools of all services open. */
const MAX_CONNECTIONS = 1_000;

/** For incomplete messages of all connections together. */
const MAX_HELD_BYTES = 192 * 1024 * 1024;

/** The embedded server itself, in the thread that calls this. Throws FolderInUseError, or what listening throws. */
export async function runServer(options: ServerOptions): Promise<RunningServer> {
  const { directory, port, clock, log, freeBytes = () => freeBytesOf(directory) } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const store = Store.open(directory, new FreeSpace(freeBytes, clock));
  const release = await orClose(store, () => takeFolder(store.environment, directory));
  const cursors = new CursorTable(clock);
  const sweeper = new TtlSweeper(store, clock, log);
  const sockets = new Set<Socket>();
  const serving = new Set<Promise<void>>();
  const parts = { store, cursors, clock, processId: new ObjectId() };
  let held = 0;
  const holdBytes = (delta: number): boolean => (held += delta) <= MAX_HELD_BYTES;
  let lastId = 0;
  const listener = createServer((socket) => {
    sockets.add(socket);
    const served = serveConnection(socket, ++lastId, { server: parts, log, holdBytes }).finally(() => {
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
    release();
    await store.close();
  };

  try {
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      listener.listen(port, '127.0.0.1', resolve);
    });
  } catch (error) {
    await close();
    throw error;
  }
  sweeper.start();
  return { port: (listener.address() as AddressInfo).port, sweeper, close };
}

async function orClose<T>(store: Store, run: () => T): Promise<T> {
  try {
    return run();
  } catch (error) {
    await store.close();
    throw error;
  }
}
