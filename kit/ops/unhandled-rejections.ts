import { requestIdOf } from '../call/call.js';
import type { Clock } from '../async/clock.js';
import type { Log } from '../log/log.js';

/** Most lines in a window, and its length, ms. A failure that a caller can cause again and again must not fill the disk. */
const MAX_LINES = 60;
const WINDOW_MS = 60_000;

/**
 * The promises of this process that were rejected while nobody listened. Each is a fault of ours in one request or one piece of background
 * work. It is logged and counted, and the process goes on for all others (docs/adr/0063-unhandled-rejections.md).
 */
export class UnhandledRejections {
  readonly #clock: Clock;
  readonly #log: Log;
  #total = 0;
  #windowEndMs = 0;
  #lines = 0;
  #unlogged = 0;

  constructor({ clock, log }: { clock: Clock; log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Since the process began. */
  get total(): number {
    return this.#total;
  }

  /** Listens from now on, in place of Node's own behaviour, which ends the process. */
  listen(emitter: Pick<NodeJS.Process, 'on'>): void {
    emitter.on('unhandledRejection', (reason) => this.note(reason));
  }

  note(reason: unknown): void {
    this.#total++;
    const now = this.#clock.monotonicMs();
    if (now >= this.#windowEndMs) {
      this.#windowEndMs = now + WINDOW_MS;
      this.#lines = 0;
    }
    if (++this.#lines > MAX_LINES) {
      this.#unlogged++;
      return;
    }
    const err = reason instanceof Error ? reason : new Error('not an error', { cause: reason });
    this.#log.error(
      { err, request_id: requestIdOf(err), ...(this.#unlogged > 0 && { unlogged: this.#unlogged }) },
      'a failure was not handled; please report it with this line',
    );
    this.#unlogged = 0;
  }
}
