import pLimit from 'p-limit';
import type { PhoneEngine } from './engine.js';
import type { PhoneFolders } from './phone-folders.js';
import type { PhonePower } from './phone-power.js';
import { UntilDone, type UntilDoneOptions } from './until-done.js';

export interface AdoptionParts extends Pick<UntilDoneOptions, 'clock' | 'log' | 'signal'> {
  engine: Pick<PhoneEngine, 'pause'>;
  folders: Pick<PhoneFolders, 'readWhole'>;
  power: Pick<PhonePower, 'adopt'>;
  /** Runs work on a phone while no other operation on it runs. Throws until the driver is open. */
  locked: (phoneId: string, work: () => Promise<void>) => Promise<void>;
}

/** How many phones are adopted at the same time. An engine that has just been started refuses or delays many calls at once. */
const ADOPTED_AT_ONCE = 8;

/** An adoption that takes longer than this shows that the engine is slow, ms. Then the others come later: no phone can be used before. */
const SLOW_MS = 10_000;

/**
 * Adopts phones that kept running while no process of the service ran. A pause that a crash left is ended, and the way out of the phone is
 * opened. A phone whose adoption fails has no network, so the adoption is tried again until it succeeds, or the phone is off.
 */
export class Adoption {
  readonly #parts: AdoptionParts;
  readonly #limit = pLimit(ADOPTED_AT_ONCE);
  readonly #later: UntilDone;
  #isSlow = false;

  constructor(parts: AdoptionParts) {
    this.#parts = parts;
    const work = (phoneId: string): Promise<void> =>
      this.#limit(() => parts.locked(phoneId, () => this.#adopt(phoneId)));
    this.#later = new UntilDone({ ...parts, what: 'adopt a phone', work });
  }

  /** Adopts a phone where its record says that it is on. Call it while no operation on the phone can begin. Never throws. */
  adopt(phoneId: string): Promise<void> {
    const { clock, log } = this.#parts;
    return this.#limit(async () => {
      if (this.#isSlow) {
        this.#later.begin(phoneId);
        return;
      }
      const beganMs = clock.monotonicMs();
      try {
        await this.#adopt(phoneId);
      } catch (error) {
        log.warn({ phone: phoneId, err: error }, 'a phone could not be adopted; trying again');
        this.#later.begin(phoneId);
      }
      if (clock.monotonicMs() - beganMs > SLOW_MS) this.#isSlow = true;
    });
  }

  async #adopt(phoneId: string): Promise<void> {
    const { engine, folders, power, signal } = this.#parts;
    const phone = await folders.readWhole(phoneId);
    if (phone?.on !== true || signal.aborted) return;
    await engine.pause?.end(phone);
    await power.adopt(phone);
  }
}
