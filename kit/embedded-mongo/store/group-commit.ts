import { CommandError } from '../command-error.js';

/** Runs `batch` in a transaction and resolves once that is on disk; rejects when nothing of it is. */
export type Commit<Writer> = (batch: (writer: Writer) => void) => Promise<void>;

interface Waiting<Writer> {
  /** Does the work and returns what tells its caller, to be called once it is durable. */
  readonly run: (writer: Writer) => () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers the writes that arrive while a commit is on its way to disk, and commits them together: the cost of a flush is
 * shared, and no write waits for more than the flush under way and its own.
 */
export class GroupCommit<Writer> {
  readonly #commit: Commit<Writer>;
  #waiting: Waiting<Writer>[] = [];
  #running: Promise<void> | undefined;

  constructor(commit: Commit<Writer>) {
    this.#commit = commit;
  }

  /** Resolves with what `work` returned, once that is durable. For errors see Store.write. */
  submit<T>(work: (writer: Writer) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const run = (writer: Writer): (() => void) => {
        try {
          const result = work(writer);
          return () => resolve(result);
        } catch (error) {
          if (!(error instanceof CommandError)) throw error;
          return () => reject(error);
        }
      };
      this.#waiting.push({ run, reject });
      this.#running ??= this.#commitAll();
    });
  }

  /** Resolves when nothing waits and nothing runs. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #commitAll(): Promise<void> {
    // Requests that one read of a socket brought, or several sockets in one turn, share the first commit too.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      // A failed group was undone. Each alone again, so that only the one at fault fails.
      if (!(await this.#commitGroup(group, group.length > 1)))
        for (const one of group) await this.#commitGroup([one], false);
    }
    this.#running = undefined;
  }

  /** Says whether the callers were told; when the commit failed and may be tried `again`, they were not. */
  async #commitGroup(group: readonly Waiting<Writer>[], again: boolean): Promise<boolean> {
    let tell: (() => void)[] = [];
    try {
      await this.#commit((writer) => {
        tell = group.map(({ run }) => run(writer));
      });
    } catch (error) {
      if (again) return false;
      tell = group.map(
        ({ reject }) =>
          () =>
            reject(error),
      );
    }
    for (const done of tell) done();
    return true;
  }
}
