import { parentPort, workerData } from 'node:worker_threads';
import { FolderInUseError } from '../kit/folder-lock.js';
import { systemClock } from '../kit/clock.js';
import type { FromWorker, WorkerOptions } from './worker-messages.js';
import { runServer } from './server.js';

/** The thread the embedded server runs in. Started by startEmbeddedMongo only, which is at the other end of the port. */
const port = parentPort;
if (port === null) throw new Error('worker.js runs as a worker of startEmbeddedMongo');

const report = (message: FromWorker): void => port.postMessage(message);
const log = {
  warn: (fields: object, message: string) => report({ kind: 'log', level: 'warn', fields: { ...fields }, message }),
  error: (fields: object, message: string) => report({ kind: 'log', level: 'error', fields: { ...fields }, message }),
};

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
