import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import { cannotRun } from './phone-power.js';

/** How long the first try holds up the start of the service, ms. */
const FIRST_TRY_MS = 5_000;
/** Pause before the next try, ms; doubled up to the second number. */
const PAUSE_FIRST_MS = 500;
const MAX_PAUSE_MS = 5_000;

export interface LateOpeningOptions {
  /** Does the work that must succeed once before phones are used. It may be called again, at whichever line it failed. */
  open: () => Promise<void>;
  /** Called when `open` has succeeded after the start of the service. */
  onLate: () => void;
  /** The kind of phones, for the log. */
  kind: string;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
}

/**
 * The work with which a driver begins, tried again until it succeeds. An engine that is away, or hangs, when the service starts holds up
 * nothing but its own phones. The service starts without these phones. They are usable once the engine responds.
 */
export class LateOpening {
  readonly #options: LateOpeningOptions;
  #isOpen = false;
  #fault = 'its engine has not responded yet';

  constructor(options: LateOpeningOptions) {
    this.#options = options;
  }

  /** Why phones cannot be used yet, a line for the operator; undefined: they can. */
  get obstacle(): string | undefined {
    return this.#isOpen ? undefined : `the phones on this host are not taken over yet: ${this.#fault}`;
  }

  /** Throws the customer's error while phones cannot be used. */
  require(): void {
    const { obstacle } = this;
    if (obstacle !== undefined) throw cannotRun(obstacle);
  }

  /** Returns when the first try has ended, or after FIRST_TRY_MS. The tries then go on until `open` succeeds. Never throws. */
  async begin(): Promise<void> {
    const { clock, signal } = this.#options;
    const waiting = new AbortController();
    const first = this.#try().finally(() => waiting.abort());
    await Promise.race([first, clock.sleep(FIRST_TRY_MS, waiting.signal).catch(() => undefined)]);
    if (!this.#isOpen && !signal.aborted) void this.#tryAgain(first);
  }

  /** Never throws. */
  async #try(): Promise<void> {
    const { open, kind, log, signal } = this.#options;
    try {
      await open();
      this.#isOpen = true;
    } catch (error) {
      if (signal.aborted) return;
      const fault = error instanceof Error ? error.message : String(error);
      if (fault !== this.#fault)
        log.warn({ kind, err: error }, 'the phones of a kind are not taken over yet; trying again');
      this.#fault = fault;
    }
  }

  /** Never throws. */
  async #tryAgain(first: Promise<void>): Promise<void> {
    const { clock, kind, log, onLate, signal } = this.#options;
    await first;
    for (let pauseMs = PAUSE_FIRST_MS; !this.#isOpen; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      await clock.sleep(pauseMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      await this.#try();
    }
    if (signal.aborted) return;
    log.info({ kind }, 'the phones of a kind are taken over');
    onLate();
  }
}
