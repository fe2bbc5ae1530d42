import { parentPort } from 'node:worker_threads';
import { systemClock } from '../../kit/async/clock.js';
import { freeSpaceOf, HostSpace } from '../../kit/files/host-space.js';
import { ApkError } from './apk-error.js';
import { readAppPackage } from './app-package.js';
import { readApk } from './read-apk.js';
import type { FromReader, ToReader } from './reader-messages.js';

// The program of a reader's thread (reader-thread.ts).
parentPort?.on('message', (task: ToReader) => {
  void respond(task).then((response) => parentPort?.postMessage(response));
});

async function respond(task: ToReader): Promise<FromReader> {
  try {
    const result =
      task.kind === 'package'
        ? await readAppPackage(task.file, { ...task, ...(task.leavesRoom && { hostSpace: spaceOf(task.unpackTo) }) })
        : await readApk(task.file, task.limits, { verified: true });
    return { kind: 'read', result };
  } catch (error) {
    if (error instanceof ApkError) return { kind: 'refused', code: error.code, message: error.message };
    const { message, code, stack } = error as NodeJS.ErrnoException;
    return { kind: 'failed', message, code, stack };
  }
}

/** Returns the host's room. Each thread measures it, as threads share no memory. What others write shows at the next measurement. */
function spaceOf(folder: string): HostSpace {
  return new HostSpace({ measure: () => freeSpaceOf(folder), clock: systemClock });
}
