import type { DevicesContext } from '../devices-context.js';
import { LIBRARY_GRACE_MS, LIBRARY_READ_AT_ONCE } from '../limits.js';

type SweepContext = Pick<
  DevicesContext,
  'library' | 'libraryCopies' | 'libraryFolder' | 'devices' | 'hostId' | 'clock' | 'log'
>;

/**
 * Brings the files of the libraries on this host, their notes in the database, and the apps to agree. A crash in the middle of an upload or
 * of a fetch, and the deletion of an app, leave what it removes.
 *
 * A file that neither an app nor a job at work names is removed after a grace time: a job that was accepted just now may not be written
 * yet. The note of the copy goes first, so that no host asks for a file that is being removed.
 */
export class LibrarySweep {
  readonly #context: SweepContext;
  /** When each unused file was first found to be unused, by the monotonic clock. */
  readonly #sinceMs = new Map<string, number>();

  constructor(context: SweepContext) {
    this.#context = context;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { libraryFolder } = this.#context;
    const files = await libraryFolder.list();
    const noted = await this.#forgetLost(new Set(files), signal);
    for (const sha256 of this.#sinceMs.keys()) if (!files.includes(sha256)) this.#sinceMs.delete(sha256);
    const used = await this.#usedOf(files);
    for (const sha256 of files) {
      signal.throwIfAborted();
      if (used.has(sha256)) {
        this.#sinceMs.delete(sha256);
        if (!noted.has(sha256)) await this.#note(sha256);
      } else await this.#removeLater(sha256);
    }
  }

  /** Forgets noted copies whose file is not here, as after the loss of a disk. Returns the other ones. */
  async #forgetLost(files: ReadonlySet<string>, signal: AbortSignal): Promise<Set<string>> {
    const { libraryCopies, libraryFolder, hostId, log } = this.#context;
    const noted = new Set<string>();
    let after: string | undefined;
    do {
      const page = await libraryCopies.listOfHost(hostId, LIBRARY_READ_AT_ONCE, after);
      after = page.length < LIBRARY_READ_AT_ONCE ? undefined : page.at(-1);
      for (const sha256 of page) {
        signal.throwIfAborted();
        noted.add(sha256);
        if (files.has(sha256)) continue;
        await libraryFolder.exclusively(sha256, async () => {
          // It may have come since the files were listed.
          if ((await libraryFolder.sizeOf(sha256)) !== undefined) return;
          log.warn({ file: sha256 }, 'a file of a library is not on the disk any more');
          noted.delete(sha256);
          await libraryCopies.forget({ sha256, hostId });
        });
      }
    } while (after !== undefined);
    return noted;
  }

  async #note(sha256: string): Promise<void> {
    const { libraryCopies, libraryFolder, hostId } = this.#context;
    await libraryFolder.exclusively(sha256, async () => {
      const sizeBytes = await libraryFolder.sizeOf(sha256);
      if (sizeBytes !== undefined) await libraryCopies.note({ sha256, hostId, sizeBytes });
    });
  }

  async #removeLater(sha256: string): Promise<void> {
    const { libraryCopies, libraryFolder, hostId, clock, log } = this.#context;
    const nowMs = clock.monotonicMs();
    const sinceMs = this.#sinceMs.get(sha256) ?? nowMs;
    this.#sinceMs.set(sha256, sinceMs);
    if (nowMs - sinceMs < LIBRARY_GRACE_MS) return;
    await libraryFolder.exclusively(sha256, async () => {
      // An upload may have brought the file back while this waited for it.
      if ((await this.#usedOf([sha256])).size > 0) return;
      log.info({ file: sha256 }, 'removing a file that no app of a library has any more');
      await libraryCopies.forget({ sha256, hostId });
      await libraryFolder.remove(sha256);
    });
    this.#sinceMs.delete(sha256);
  }

  /** Returns those of the files that apps or jobs name. Apps are read before jobs: a job is accepted while its app has the file. */
  async #usedOf(files: readonly string[]): Promise<Set<string>> {
    const { library, devices } = this.#context;
    const used = new Set<string>();
    for (let at = 0; at < files.length; at += LIBRARY_READ_AT_ONCE)
      for (const sha256 of await library.findUsed(files.slice(at, at + LIBRARY_READ_AT_ONCE))) used.add(sha256);
    const unused = files.filter((sha256) => !used.has(sha256));
    if (unused.length === 0) return used;
    const ofJobs = await devices.findLibraryUses();
    return new Set([...used, ...unused.filter((sha256) => ofJobs.has(sha256))]);
  }
}
