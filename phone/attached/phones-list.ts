import { type FSWatcher, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Clock, Timer } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import { type ListedPhone, PhonesFileFault, parsePhonesFile, readPhonesFile } from './phones-file.js';

/** File systems without change notices (network shares, mounted volumes) are looked at this often, ms. */
const POLL_MS = 5_000;
/** An editor writes in several steps; the file is read when it has been quiet for this long, ms. */
const QUIET_MS = 100;

/**
 * The operator's phones, followed while the file is edited. A faulty file changes nothing: the last good one holds, and all faults are
 * logged in one line, once for each version of the file.
 */
export class PhonesList {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #onChange: (phones: readonly ListedPhone[]) => void;
  #phones: readonly ListedPhone[];
  #text = '';
  #watcher: FSWatcher | undefined;
  #timer: Timer | undefined;
  #closed = false;

  /** Throws PhonesFileFault when the file cannot be used now: a service that starts has no last good one. */
  constructor(options: { path: string; clock: Clock; log: Log; onChange: (phones: readonly ListedPhone[]) => void }) {
    this.#path = options.path;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#onChange = options.onChange;
    this.#phones = readPhonesFile(this.#path);
    this.#follow();
    this.#readIn(QUIET_MS);
  }

  get phones(): readonly ListedPhone[] {
    return this.#phones;
  }

  close(): void {
    this.#closed = true;
    this.#watcher?.close();
    this.#timer?.cancel();
  }

  /** The folder is watched, not the file: editors replace the file by another one. */
  #follow(): void {
    try {
      this.#watcher = watch(dirname(this.#path), { persistent: false }, (_event, name) => {
        if (name === null || name === basename(this.#path)) this.#readIn(QUIET_MS);
      });
      this.#watcher.on('error', (error) => this.#log.debug({ err: error }, 'PHONES_FILE is polled only'));
    } catch (error) {
      this.#log.debug({ err: error }, 'PHONES_FILE is polled only');
    }
  }

  #readIn(ms: number): void {
    this.#timer?.cancel();
    if (!this.#closed) this.#timer = this.#clock.after(ms, () => void this.#read());
  }

  async #read(): Promise<void> {
    const text = await readFile(this.#path, 'utf8').catch((error: unknown) => error as NodeJS.ErrnoException);
    if (this.#closed) return;
    this.#readIn(POLL_MS);
    const version = typeof text === 'string' ? text : `unreadable: ${text.code ?? text.message}`;
    if (version === this.#text) return;
    this.#text = version;
    const { phones, faults } =
      typeof text === 'string' ? parsePhonesFile(text, dirname(this.#path)) : { phones: [], faults: [`it cannot be read (${text.code ?? 'unknown'})`] }; // prettier-ignore
    if (faults.length > 0) {
      const { message } = new PhonesFileFault(this.#path, faults);
      this.#log.error({ faults }, `${message}\n  The phones listed before stay in use.`);
      return;
    }
    if (JSON.stringify(phones) === JSON.stringify(this.#phones)) return;
    this.#phones = phones;
    this.#log.info({ phones: phones.length }, 'PHONES_FILE was read again');
    this.#onChange(phones);
  }
}
