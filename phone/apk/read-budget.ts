import { ApkError } from './apk-error.js';
import type { ApkLimits } from './apk-limits.js';

/**
 * The work and memory that the reading of one app, with all its APKs, may still take. Every reader of its bytes draws on it, so that no
 * combination of small limits multiplies. Each method throws ApkError once there is no more.
 */
export class ReadBudget {
  #work: number;
  #contentBytes: number;
  #textBytes: number;

  constructor({ work, contentBytes, textBytes }: Pick<ApkLimits, 'work' | 'contentBytes' | 'textBytes'>) {
    this.#work = work;
    this.#contentBytes = contentBytes;
    this.#textBytes = textBytes;
  }

  /** Counts items of a binary format: a chunk, an element, an attribute, a value that is looked up. */
  spendWork(items: number): void {
    if ((this.#work -= items) < 0) throw tooMuch('work');
  }

  /** Counts the content of an entry, unpacked, before it is read. */
  takeContent(bytes: number): void {
    if ((this.#contentBytes -= bytes) < 0) throw tooMuch('memory');
  }

  /** Counts a string before it is decoded. */
  takeText(bytes: number): void {
    if ((this.#textBytes -= bytes) < 0) throw tooMuch('text');
  }
}

function tooMuch(what: string): ApkError {
  return new ApkError('INSTALL_FAILED_INVALID_APK', `it takes more ${what} to read its manifest and resources than an app may need`); // prettier-ignore
}
