import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';

/** A finding is renewed after this time, ms: each costs two runs of the emulator. */
const HOLDS_MS = 30_000;

/**
 * The reason why no emulator can run on this host, kept for a while. Only the first question waits for an examination: the start of a phone
 * must not, and what was found last still holds, nearly always.
 */
export class HostObstacle {
  readonly #examine: () => Promise<string | undefined>;
  readonly #clock: Clock;
  readonly #log: Log;
  #found: { atMs: number; obstacle: Promise<string | undefined> } | undefined;

  constructor(parts: { examine: () => Promise<string | undefined>; clock: Clock; log: Log }) {
    this.#examine = parts.examine;
    this.#clock = parts.clock;
    this.#log = parts.log;
  }

  /** Undefined: there is none. Rejects where the first examination fails; the next call repeats it. */
  async find(): Promise<string | undefined> {
    const nowMs = this.#clock.monotonicMs();
    const found = (this.#found ??= { atMs: nowMs, obstacle: this.#examine() });
    if (nowMs - found.atMs > HOLDS_MS) {
      this.#found = { atMs: nowMs, obstacle: found.obstacle };
      void this.#renew(nowMs);
    }
    return found.obstacle.catch((error: unknown) => {
      if (this.#found?.obstacle === found.obstacle) this.#found = undefined;
      throw error;
    });
  }

  async #renew(atMs: number): Promise<void> {
    try {
      const obstacle = await this.#examine();
      this.#found = { atMs, obstacle: Promise.resolve(obstacle) };
    } catch (error) {
      this.#log.error({ err: error }, 'the host of emulators could not be examined');
    }
  }
}
