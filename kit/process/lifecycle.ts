import { begunAhead } from '../async/begun-ahead.js';
import { systemClock } from '../async/clock.js';
import type { Log } from '../log/log.js';

/**
 * How long the close of a part may take before it is logged, ms. The time is longer than the gateway's drain, and shorter than the time
 * that a process has to end.
 */
const SLOW_MS = 22_000;

/**
 * Closes opened resources in reverse order. A start that fails half-way closes what it had opened; a close that fails is logged and does
 * not keep the others from closing. A close that takes long is logged meanwhile, so a process that does not end has the reason in its log.
 */
export class Lifecycle {
  readonly #log: Log;
  readonly #opened: { name: string; close: () => Promise<void> | void }[] = [];
  #closing: Promise<void> | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Remembers how to close `name`, which has just been opened, and returns `part`. */
  add<T extends { close(): Promise<void> | void }>(name: string, part: T): T {
    this.onClose(name, () => part.close());
    return part;
  }

  onClose(name: string, close: () => Promise<void> | void): void {
    this.#opened.push({ name, close });
  }

  /** Closes everything, last opened first. Calling it again returns the same promise. */
  close(): Promise<void> {
    this.#closing ??= begunAhead(this.#closeAll());
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    for (let part = this.#opened.pop(); part !== undefined; part = this.#opened.pop()) {
      const slow = systemClock.after(SLOW_MS, () => this.#log.warn({ part: part.name }, 'a part takes long to close'));
      try {
        await part.close();
      } catch (error) {
        this.#log.error({ err: error, part: part.name }, 'could not close');
      } finally {
        slow.cancel();
      }
    }
  }
}
