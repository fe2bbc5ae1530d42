import { parentPort, workerData } from 'node:worker_threads';
import { FolderInUseError } from '../kit/files/folder-lock.js';
import { systemClock } from '../kit/async/clock.js';
import type { FromWorker, WorkerOptions } from './worker-messages.js';
import { runServer } from './server.js';

/** The port to startEmbeddedMongo, which alone starts this thread. The embedded server runs in this thread. */
const port = parentPort;
if (port === null) throw new Error('worker.js runs as a worker of startEmbeddedMongo');

const report = (message: FromWorker): void => port.postMessage(message);
const log = {
  warn: (fields: object, message: string) => report({ kind: 'log', level: 'warn', fields: { ...fields }, message }),
  error: (fields: object, message: string) => report({ kind: 'log', level: 'error', fields: { ...fields }, message }),
};

// An unhandled rejection is passed on to the thread that started this one, which treats it as one of its own. By default, the rejection
// would end this thread, and the database with it. The error is sent as texts, as it may hold values that cannot be sent to another thread.
process.on('unhandledRejection', (reason) => {
  const { name, message, stack } = reason instanceof Error ? reason : new Error(String(reason));
  report({ kind: 'unhandled_rejection', name, message, ...(stack !== undefined && { stack }) });
});

const options = workerData as WorkerOptions;
try {
  const server = await runServer({ ...options, clock: systemClock, log });
  port.once('message', () => {
    void server.close().then(() => port.close());
  });
  report({ kind: 'listening', url: server.url });
} catch (error) {
  const failure = error instanceof Error ? error : new Error(String(error));
  const owner = failure instanceof FolderInUseError ? failure.owner : undefined;
  report({
    kind: 'failed',
    message: failure.message,
    code: 'code' in failure ? String(failure.code) : undefined,
    owner,
  });
  port.close();
}
