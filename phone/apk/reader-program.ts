import { parentPort } from 'node:worker_threads';
import { systemClock } from '../../kit/async/clock.js';
import { freeSpaceOf, HostSpace } from '../../kit/files/host-space.js';
import { ApkError } from './apk-error.js';
import { type AppPackage, isBundle, readAppPackage } from './app-package.js';
import { type ApkDescription, readApk } from './read-apk.js';
import type { FromReader, ToReader } from './reader-messages.js';

// The program of a reader's thread (reader-thread.ts).
parentPort?.on('message', (task: ToReader) => {
  void respond(task).then((response) => parentPort?.postMessage(response));
});

async function respond(task: ToReader): Promise<FromReader> {
  try {
    return { kind: 'read', result: await resultOf(task) };
  } catch (error) {
    if (error instanceof ApkError) return { kind: 'refused', code: error.code, message: error.message };
    const { message, code, stack } = error as NodeJS.ErrnoException;
    return { kind: 'failed', message, code, stack };
  }
}

function resultOf(task: ToReader): Promise<AppPackage | ApkDescription | boolean> {
  switch (task.kind) {
    case 'package':
      return readAppPackage(task.file, { ...task, ...(task.leavesRoom && { hostSpace: spaceOf(task.unpackTo) }) });
    case 'verified':
      return readApk(task.file, task.limits, { verified: true });
    case 'bundle':
      return isBundle(task.file, task.limits);
  }
}

/** Returns the host's room. Each thread measures it, as threads share no memory. What others write shows at the next measurement. */
function spaceOf(folder: string): HostSpace {
  return new HostSpace({ measure: () => freeSpaceOf(folder), clock: systemClock });
}
