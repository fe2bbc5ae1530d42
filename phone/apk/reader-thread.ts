import { begunAhead } from '../../kit/async/begun-ahead.js';
import { Worker } from 'node:worker_threads';
import { ApkError } from './apk-error.js';
import type { FromReader, ToReader } from './reader-messages.js';

/**
 * Heap of a thread, MB. The content of entries is outside the heap, where the limits of the reader bound it. The small young generation
 * bounds the memory of a thread that is kept while it is idle.
 */
const HEAP = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

/** A thread that reads one file at a time. It does not keep the process alive while it is idle. */
export class ReaderThread {
  readonly #worker: Worker;
  readonly #ended: Promise<Error>;
  #isAlive = true;

  constructor(program = new URL('./reader-program.js', import.meta.url)) {
    this.#worker = new Worker(program, { name: 'apk-reader', resourceLimits: HEAP });
    this.#ended = new Promise((resolve) => {
      this.#worker.once('error', resolve);
      this.#worker.once('exit', () => resolve(new Error('the thread that reads APKs has ended')));
    });
    void this.#ended.then(() => (this.#isAlive = false));
    this.#worker.unref();
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Reads one file. Throws ApkError when the file is refused, or takes more memory than the thread has. */
  async read(task: ToReader): Promise<unknown> {
    const response = new Promise<FromReader>((resolve) => this.#worker.once('message', resolve));
    const ended = begunAhead(this.#ended.then((error) => Promise.reject(isOutOfMemory(error) ? tookTooMuch() : error)));
    this.#worker.ref();
    try {
      this.#worker.postMessage(task);
      return resultOf(await Promise.race([response, ended]));
    } finally {
      this.#worker.unref();
    }
  }

  /** Ends the thread, in the middle of its work too. Safe to call again. */
  async end(): Promise<void> {
    this.#isAlive = false;
    await this.#worker.terminate();
  }
}

function resultOf(response: FromReader): unknown {
  if (response.kind === 'read') return response.result;
  if (response.kind === 'refused') throw new ApkError(response.code, response.message);
  const { message, code, stack } = response;
  throw Object.assign(new Error(message), {
    ...(stack !== undefined && { stack }),
    ...(code !== undefined && { code }),
  });
}

function isOutOfMemory(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tookTooMuch(): ApkError {
  return new ApkError('INSTALL_FAILED_INVALID_APK', 'it takes more memory to read than an app may need');
}
