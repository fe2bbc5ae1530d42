import { CommandError } from '../command-error.js';

/** Runs `batch` in a transaction and returns once that is on disk; throws when nothing of it is. */
export type Commit<Writer> = (batch: (writer: Writer) => void) => void;

interface Waiting<Writer> {
  /** Does the work and returns a function that notifies its caller, to be called once it is durable. */
  readonly run: (writer: Writer) => () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits the writes that arrived during the commit before together: the cost of a flush is shared, and no write waits for
 * more than the flush under way and its own. The thread waits for the flush, as it would for any write; meanwhile requests
 * gather in the sockets.
 */
export class GroupCommit<Writer> {
  readonly #commit: Commit<Writer>;
  #waiting: Waiting<Writer>[] = [];
  #running: Promise<void> | undefined;

  constructor(commit: Commit<Writer>) {
    this.#commit = commit;
  }

  /** Resolves with the result of `work`, once its writes are durable. For errors see Store.write. */
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
    while (this.#waiting.length > 0) {
      // Lets every socket that has something be read first: all writes of one turn, or of one flush, are one group.
      await new Promise(setImmediate);
      const group = this.#waiting;
      this.#waiting = [];
      // A failed group was undone. Each alone again, so that only the one at fault fails.
      if (!this.#commitGroup(group, group.length > 1)) for (const one of group) this.#commitGroup([one], false);
    }
    this.#running = undefined;
  }

  /** Returns whether the callers were notified; when the commit failed and is retried (`again`), they were not. */
  #commitGroup(group: readonly Waiting<Writer>[], again: boolean): boolean {
    let notify: (() => void)[] = [];
    try {
      this.#commit((writer) => {
        notify = group.map(({ run }) => run(writer));
      });
    } catch (error) {
      if (again) return false;
      for (const { reject } of group) reject(error);
      return true;
    }
    for (const done of notify) done();
    return true;
  }
}
