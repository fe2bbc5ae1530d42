import { ApkError } from './apk-error.js';
import type { ApkLimits } from './apk-limits.js';

type BudgetLimits = Pick<ApkLimits, 'entries' | 'directoryBytes' | 'work' | 'contentBytes' | 'textBytes'>;

/**
 * The work and memory that may still be spent on reading one app with all its APKs. All readers of the app share it, so that the limits of
 * each do not multiply. Each method throws ApkError once there is no more.
 */
export class ReadBudget {
  readonly #limits: BudgetLimits;
  #entries: number;
  #listBytes: number;
  #work: number;
  #contentBytes: number;
  #textBytes: number;

  constructor(limits: BudgetLimits) {
    this.#limits = limits;
    this.#entries = limits.entries;
    this.#listBytes = limits.directoryBytes;
    this.#work = limits.work;
    this.#contentBytes = limits.contentBytes;
    this.#textBytes = limits.textBytes;
  }

  /** Counts the entries of a zip file, and the bytes of their list, before the list is read. */
  takeEntries(count: number, listBytes: number): void {
    const { entries, directoryBytes } = this.#limits;
    if ((this.#entries -= count) < 0) throw invalid(`it has over ${entries} entries`);
    if ((this.#listBytes -= listBytes) < 0) throw invalid(`its list of entries is over ${directoryBytes} bytes`);
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
  return invalid(`it takes more ${what} to read its manifest and resources than an app may need`);
}

function invalid(detail: string): ApkError {
  return new ApkError('INSTALL_FAILED_INVALID_APK', detail);
}
