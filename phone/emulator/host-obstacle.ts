import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';

/** Age at which a finding is renewed, ms. Each examination runs the emulator twice. */
const HOLDS_MS = 30_000;

/**
 * Finds the reason why no emulator can run on this host, and keeps it for a while. Only the first call waits for an examination. Later
 * calls return the last finding at once, as the start of a phone must not wait. That finding is rarely out of date.
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

  /** Returns undefined when there is no obstacle. Rejects when the first examination fails; the next call repeats it. */
  async find(): Promise<string | undefined> {
    const nowMs = this.#clock.monotonicMs();
    const found = (this.#found ??= { atMs: nowMs, obstacle: begunAhead(this.#examine()) });
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
