import pLimit from 'p-limit';
import type { Clock } from '../../kit/async/clock.js';
import { KeyedLock } from '../../kit/async/keyed-lock.js';
import { within } from '../../kit/async/within.js';
import { ApkError } from './apk-error.js';
import { DEFAULT_APK_LIMITS, type ApkLimits } from './apk-limits.js';
import type { AppPackage } from './app-package.js';
import type { ApkDescription } from './read-apk.js';
import { ReaderThread } from './reader-thread.js';
import type { ReadPackageTask, ReadTask } from './reader-messages.js';

/** Files that are read at the same time; further ones wait. A file that takes all its time must not hold up the others. */
const READS_AT_ONCE = 3;

/** How long reading one file may take, ms. Unpacking and comparing 2 GiB on a slow disk takes far less. */
export const READ_LIMIT_MS = 120_000;

export interface AppReaderParts {
  clock: Clock;
  limits?: ApkLimits;
  /** The program that the threads run, for tests. Absent: the reader. */
  program?: URL;
}

export interface ReadPackageOptions extends Pick<ReadPackageTask, 'unpackTo' | 'phone' | 'leavesRoom'> {
  /** The account that uploaded the file. Its files are read one at a time, so that it leaves threads to others. Absent: the operator's file. */
  uploadOf?: string;
}

/**
 * Reads untrusted APKs in threads of their own, with bounds of memory and time. Whatever is in a file, the process goes on with its other
 * work. A thread that goes over a bound is ended. One idle thread is kept, as a start takes some 50 ms.
 */
export class AppReader {
  readonly #parts: AppReaderParts;
  readonly #atOnce = pLimit(READS_AT_ONCE);
  readonly #uploads = new KeyedLock();
  #idle: ReaderThread | undefined;
  #isClosed = false;

  constructor(parts: AppReaderParts) {
    this.#parts = parts;
  }

  /** Reads as `readAppPackage` does. Throws an error with the code ENOSPC when the disk is full. */
  async readPackage(file: string, { uploadOf, ...options }: ReadPackageOptions): Promise<AppPackage> {
    const app = (await this.#readOf(uploadOf, { kind: 'package', file, ...options })) as AppPackage;
    return { ...app, base: asSent(app.base) };
  }

  /** Returns whether the file is a bundle, as `isBundle` does. */
  async isBundle(file: string, { uploadOf }: Pick<ReadPackageOptions, 'uploadOf'> = {}): Promise<boolean> {
    return (await this.#readOf(uploadOf, { kind: 'bundle', file })) as boolean;
  }

  /** Reads as `readApk` does, and verifies the signature. */
  async readVerified(file: string): Promise<ApkDescription> {
    return asSent((await this.#read({ kind: 'verified', file })) as ApkDescription);
  }

  /** Ends the idle thread. A thread at work ends when it has read its file. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#idle?.end();
  }

  #readOf(uploadOf: string | undefined, task: ReadTask): Promise<unknown> {
    return uploadOf === undefined ? this.#read(task) : this.#uploads.run(uploadOf, () => this.#read(task));
  }

  async #keepOrEnd(thread: ReaderThread): Promise<void> {
    if (thread.isAlive && this.#idle === undefined && !this.#isClosed) this.#idle = thread;
    else await thread.end();
  }

  #read(task: ReadTask): Promise<unknown> {
    const { clock, limits = DEFAULT_APK_LIMITS, program } = this.#parts;
    return this.#atOnce(async () => {
      const thread = this.#idle?.isAlive === true ? this.#idle : new ReaderThread(program);
      this.#idle = undefined;
      try {
        const limit = { clock, timeoutMs: READ_LIMIT_MS, onTimeout: tookTooLong };
        return await within(limit, () => thread.read({ ...task, limits }));
      } catch (error) {
        // A thread that refused a file is done with it. After any other error the thread may still be at work.
        if (!(error instanceof ApkError) || error instanceof TookTooLong) await thread.end();
        throw error;
      } finally {
        await this.#keepOrEnd(thread);
      }
    });
  }
}

/** The error of a file that took too long to read. Its thread is still at work. */
class TookTooLong extends ApkError {}

function tookTooLong(): ApkError {
  return new TookTooLong('INSTALL_FAILED_INVALID_APK', `it could not be read within ${READ_LIMIT_MS / 1000} s`);
}

/** Makes the icon a Buffer again, as a Buffer comes out of a thread as plain bytes. */
function asSent(apk: ApkDescription): ApkDescription {
  const { icon } = apk;
  return icon === undefined ? apk : { ...apk, icon: Buffer.from(icon.buffer, icon.byteOffset, icon.byteLength) };
}
