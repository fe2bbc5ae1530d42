import { type FSWatcher, readFileSync, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Clock, Timer } from '../async/clock.js';
import type { Log } from '../log/log.js';

/** The file is read at least this often, ms, as some file systems send no change notices (network shares, mounted volumes). */
const POLL_MS = 5_000;
/** An editor writes in several steps; the file is read when it has been quiet for this long, ms. */
const QUIET_MS = 100;

/** The error of an operator's file that cannot be used. `faults` has all faults, each with the field that it is in. */
export class FileFault extends Error {
  override name = 'FileFault';
  readonly faults: readonly string[];

  constructor(setting: string, path: string, faults: readonly string[]) {
    super(`${setting} ${path} cannot be used:\n  ${faults.join('\n  ')}`);
    this.faults = faults;
  }
}

export interface FollowedFileOptions<T> {
  /** The setting that names the file, for texts. */
  setting: string;
  path: string;
  /** Reads the whole text; all faults are gathered, so that the file is mended in one go. */
  parse: (text: string) => { value: T; faults: readonly string[] };
  /** Called with each new version that is good and differs. */
  onChange: (value: T) => void;
  clock: Clock;
  log: Log;
}

/**
 * A file of the operator's, followed while it is edited. A faulty version changes nothing: the last good one holds, and all faults
 * are logged in one line, once for each version.
 */
export class FollowedFile<T> {
  readonly #options: FollowedFileOptions<T>;
  #value: T;
  #text = '';
  #watcher: FSWatcher | undefined;
  #timer: Timer | undefined;
  #closed = false;

  /** Throws FileFault when the file cannot be used now: a service that starts has no last good version. */
  constructor(options: FollowedFileOptions<T>) {
    this.#options = options;
    this.#value = readNow(options);
    this.#follow();
    this.#readIn(QUIET_MS);
  }

  get value(): T {
    return this.#value;
  }

  close(): void {
    this.#closed = true;
    this.#watcher?.close();
    this.#timer?.cancel();
  }

  /** Watches the folder and not the file, because editors replace the file by another one. */
  #follow(): void {
    const { path, setting, log } = this.#options;
    try {
      this.#watcher = watch(dirname(path), { persistent: false }, (_event, name) => {
        if (name === null || name === basename(path)) this.#readIn(QUIET_MS);
      });
      this.#watcher.on('error', (error) => log.debug({ err: error }, `${setting} is polled only`));
    } catch (error) {
      log.debug({ err: error }, `${setting} is polled only`);
    }
  }

  #readIn(ms: number): void {
    this.#timer?.cancel();
    if (!this.#closed) this.#timer = this.#options.clock.after(ms, () => void this.#read());
  }

  async #read(): Promise<void> {
    const { path, setting, parse, onChange, log } = this.#options;
    const text = await readFile(path, 'utf8').catch((error: unknown) => error as NodeJS.ErrnoException);
    if (this.#closed) return;
    this.#readIn(POLL_MS);
    const version = typeof text === 'string' ? text : `unreadable: ${text.code ?? text.message}`;
    if (version === this.#text) return;
    this.#text = version;
    const parsed = typeof text === 'string' ? parse(text) : { faults: [unreadable(text)] };
    if (parsed.faults.length > 0 || !('value' in parsed)) {
      const { message } = new FileFault(setting, path, parsed.faults);
      log.error({ faults: parsed.faults }, `${message}\n  The last good version stays in use.`);
      return;
    }
    if (JSON.stringify(parsed.value) === JSON.stringify(this.#value)) return;
    this.#value = parsed.value;
    log.info(`${setting} was read again`);
    onChange(parsed.value);
  }
}

function readNow<T>({ setting, path, parse }: FollowedFileOptions<T>): T {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new FileFault(setting, path, [unreadable(error as NodeJS.ErrnoException)]);
  }
  const { value, faults } = parse(text);
  if (faults.length > 0) throw new FileFault(setting, path, faults);
  return value;
}

function unreadable({ code }: NodeJS.ErrnoException): string {
  return `it cannot be read (${code ?? 'unknown'})`;
}
