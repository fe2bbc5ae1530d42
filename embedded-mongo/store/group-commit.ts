import { begunAhead } from '../../kit/async/begun-ahead.js';
import { CommandError } from '../values/command-error.js';

/** Runs `batch` in a transaction, and returns once the transaction is on disk. Throws when nothing of the transaction was stored. */
export type Commit<Writer> = (batch: (writer: Writer) => void) => void;

interface Waiting<Writer> {
  /** Does the work. Returns a function that notifies the caller, and that is called once the work is durable. */
  readonly run: (writer: Writer) => () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits in one group all writes that arrived during the previous commit. The writes of a group share the cost of one flush. So a write
 * waits at most for the flush under way and for its own. The thread waits for the flush, as it would for any write; meanwhile requests
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
      this.#running ??= begunAhead(this.#commitAll());
    });
  }

  /** Resolves when nothing waits and nothing runs. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #commitAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        // All sockets that have bytes are read first, so that the writes of one turn, or of one flush, form one group.
        await new Promise(setImmediate);
        const group = this.#waiting;
        this.#waiting = [];
        // A failed group was undone. Each of its writes is then run alone, so that only the one at fault fails.
        if (!this.#commitGroup(group, group.length > 1)) for (const one of group) this.#commitGroup([one], false);
      }
    } finally {
      // This happens in the same turn as the check of the loop, so a write that comes later begins a new run.
      this.#running = undefined;
    }
  }

  /**
   * Commits a group, and returns whether its callers were notified. `again`: the caller retries a failed group, so nobody is notified of
   * the failure.
   */
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
