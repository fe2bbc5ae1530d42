import { resolve as resolvePath } from 'node:path';
import { Worker } from 'node:worker_threads';
import { FolderInUseError } from '../kit/files/folder-lock.js';
import type { Log } from '../kit/log/log.js';
import type { FromWorker, ToWorker, WorkerOptions } from './worker-messages.js';

export { FolderInUseError };

export interface EmbeddedMongoOptions {
  /** The data folder, made when missing. One process at a time may have it. */
  readonly directory: string;
  readonly log: Log;
}

export interface EmbeddedMongo {
  /** A connection string for the driver, without a database name. */
  readonly url: string;
  /** Resolves when the server ends without a call of `close`, after which nothing listens at `url`. Otherwise it never resolves. */
  readonly failed: Promise<Error>;
  /** Lets the process end while the server runs, as `unref` of net.Server does. No acknowledged write is lost, as each is on disk. */
  unref(): void;
  /** Ends connections, waits for writes under way, lets go of the folder. Safe to call again. */
  close(): Promise<void>;
}

/**
 * Starts the MongoDB that runs when no MONGODB_URL is given. It is a server for the official driver, in a worker thread, on a Unix socket
 * in the folder `directory`, which also holds its data. docs/adr/0002-embedded-mongo.md lists the supported features; others are refused.
 *
 * @throws FolderInUseError when another process serves the folder
 */
export async function startEmbeddedMongo({ directory, log }: EmbeddedMongoOptions): Promise<EmbeddedMongo> {
  const workerData: WorkerOptions = { directory: resolvePath(directory) };
  const worker = new Worker(new URL('./worker.js', import.meta.url), {
    workerData,
    name: 'embedded-mongo',
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  const exited = new Promise<Error>((resolve) => {
    worker.once('error', resolve);
    worker.once('exit', (code) => resolve(new Error(`the embedded MongoDB ended with code ${code}`)));
  });
  const url = await new Promise<string>((resolve, reject) => {
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'listening') resolve(message.url);
      else if (message.kind === 'failed') reject(startError(message, workerData.directory));
      else if (message.kind === 'unhandled_rejection') void Promise.reject(passedOn(message));
      else log[message.level](message.fields, message.message);
    });
    void exited.then(reject);
  });

  let closing = false;
  return {
    url,
    failed: new Promise((resolve) => {
      void exited.then((error) => {
        if (!closing) resolve(error);
      });
    }),
    unref: () => worker.unref(),
    close: async () => {
      closing = true;
      // After `unref`, the process could otherwise end before the server.
      worker.ref();
      worker.postMessage('close' satisfies ToWorker);
      await exited;
    },
  };
}

/** The error of a rejection in the thread. */
function passedOn({ name, message, stack }: FromWorker & { kind: 'unhandled_rejection' }): Error {
  return Object.assign(new Error(message), { name, ...(stack !== undefined && { stack }) });
}

/** V8 lets the young generation of each thread grow to 48 MB; the work here is short-lived and small. */
const YOUNG_GENERATION_MB = 8;

function startError({ message, code, owner }: FromWorker & { kind: 'failed' }, directory: string): Error {
  if (owner !== undefined) return new FolderInUseError(directory, owner);
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}
