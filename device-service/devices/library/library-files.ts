import { begunAhead } from '../../../kit/async/begun-ahead.js';
import type { Clock } from '../../../kit/async/clock.js';
import { Cancellation, unlessAborted } from '../../../kit/async/within.js';
import { databaseUnavailable } from '../../../kit/errors/database-unavailable.js';
import type { Log } from '../../../kit/log/log.js';
import { isDiskFull } from '../../../phone/files/no-room.js';
import type { LibraryCopyDocument, LibraryCopyStore } from '../../store/library-copies.js';
import { LIBRARY_FETCH_MS, LIBRARY_FETCH_PAUSE_MS, LIBRARY_FETCH_TRIES } from '../limits.js';
import { hostLimit } from '../phones/host-limit.js';
import { failureOf, FetchFailure } from './library-failure.js';
import type { LibraryFolder } from './library-folder.js';

export interface LibraryFilesParts {
  libraryCopies: LibraryCopyStore;
  folder: LibraryFolder;
  hostId: string;
  /** Fetches a file from another host to a new file of this host's disk, whole, checked and durable, and calls `use` with its path. */
  fetch: (copy: LibraryCopyDocument, use: (file: string) => Promise<void>, signal: AbortSignal) => Promise<void>;
  clock: Clock;
  log: Log;
}

/** Another host does not have a file, although the database says so. */
export class NotThere extends Error {
  override name = 'NotThere';
}

/**
 * The files of the app libraries, as installs on this host need them. A file that only other hosts have is fetched once, however many
 * installs wait for it, and stays here afterwards. Each install waits for as long as it may.
 */
export class LibraryFiles {
  readonly #parts: LibraryFilesParts;
  readonly #fetching = new Map<string, Promise<void>>();
  readonly #closing = new Cancellation();

  constructor(parts: LibraryFilesParts) {
    this.#parts = parts;
  }

  /**
   * Returns the path of a file on this host. Throws JobFailure when no host has the file, when those that have it cannot be reached, and
   * when there is no room for it.
   */
  async get({ name, sha256 }: { name: string; sha256: string }, signal: AbortSignal): Promise<string> {
    const { folder } = this.#parts;
    if ((await folder.sizeOf(sha256)) === undefined) {
      await unlessAborted(signal, this.#fetching.get(sha256) ?? this.#begin(sha256)).catch((error: unknown) => {
        throw error instanceof FetchFailure ? failureOf(error, name) : error;
      });
    }
    return folder.path(sha256);
  }

  /** Ends fetches under way; the next process begins them again. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('closing'));
    await Promise.allSettled(this.#fetching.values());
  }

  #begin(sha256: string): Promise<void> {
    const { clock } = this.#parts;
    // The end of its time aborts a fetch, and the next one begins when it has ended: both write to one folder.
    const over = new Cancellation([this.#closing.signal], hostLimit(clock, LIBRARY_FETCH_MS));
    const fetching = begunAhead(
      this.#fetch(sha256, over.signal).finally(() => {
        over.end();
        this.#fetching.delete(sha256);
      }),
    );
    this.#fetching.set(sha256, fetching);
    return fetching;
  }

  /**
   * Fetches a file from any of the hosts that have it. A broken stream is tried again, from the beginning. Throws FetchFailure where the
   * file does not come.
   */
  async #fetch(sha256: string, signal: AbortSignal): Promise<void> {
    const { libraryCopies, hostId, clock } = this.#parts;
    let failure: unknown;
    for (let tries = 0; tries < LIBRARY_FETCH_TRIES; tries++) {
      if (tries > 0) await clock.sleep(LIBRARY_FETCH_PAUSE_MS * 2 ** (tries - 1), signal);
      const others = (await libraryCopies.find(sha256)).filter((copy) => copy.hostId !== hostId);
      if (others.length === 0) throw new FetchFailure('gone');
      let isAnywhere = false;
      for (const copy of others) {
        const error = await this.#fetchFrom(copy, signal);
        if (error === undefined) return;
        failure = error;
        isAnywhere ||= !(error instanceof NotThere);
      }
      if (!isAnywhere) throw new FetchFailure('gone');
    }
    throw new FetchFailure('away', failure);
  }

  /** Fetches a file from one host and puts it in its place. Returns the error after which another try makes sense. */
  async #fetchFrom(copy: LibraryCopyDocument, signal: AbortSignal): Promise<unknown> {
    const { libraryCopies, folder, hostId, fetch, log } = this.#parts;
    const { sha256, sizeBytes } = copy;
    const put = (file: string): Promise<void> =>
      folder.exclusively(sha256, async () => {
        await folder.place(file, sha256);
        await libraryCopies.note({ sha256, hostId, sizeBytes });
      });
    try {
      await fetch(copy, put, signal);
      return undefined;
    } catch (error) {
      if (isDiskFull(error)) throw new FetchFailure('no room', error);
      if (signal.aborted || databaseUnavailable(error) !== undefined) throw error;
      log.warn({ host: copy.hostId, file: sha256, err: error }, 'a file of a library was not fetched; trying again');
      return error ?? new Error('a file was not fetched');
    }
  }
}
