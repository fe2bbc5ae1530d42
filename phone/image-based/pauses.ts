import { PhoneFailure } from '../driver.js';
import type { PhoneEngine } from './engine.js';
import type { ImageBasedPhone, PhoneFolders } from './phone-folders.js';
import { UntilDone, type UntilDoneOptions } from './until-done.js';

export interface PausesParts extends Pick<UntilDoneOptions, 'clock' | 'log' | 'signal'> {
  engine: Pick<PhoneEngine, 'pause' | 'power'>;
  folders: Pick<PhoneFolders, 'readWhole'>;
  /** Runs work on a phone while no other operation on it runs. */
  locked: (phoneId: string, work: () => Promise<void>) => Promise<void>;
}

/**
 * The pauses of phones that are kept still. A phone that stays paused is charged and does nothing. So the end of a pause is tried until it
 * succeeds, or the phone is off.
 *
 * A phone that is paused, and not kept still by this process, was left so. A crash did that, or somebody, or a call that the engine did after
 * its time was over. Such a pause is ended too.
 */
export class Pauses {
  readonly #parts: PausesParts;
  readonly #held = new Set<string>();
  readonly #ends: UntilDone;

  constructor(parts: PausesParts) {
    this.#parts = parts;
    const work = (phoneId: string): Promise<void> => parts.locked(phoneId, () => this.#end(phoneId));
    this.#ends = new UntilDone({ ...parts, what: 'end the pause of a phone', work });
  }

  /** Pauses a phone that is on, while `use` runs. Call it while no other operation on the phone runs. */
  async whilePaused(phone: ImageBasedPhone, use: () => Promise<void>, signal: AbortSignal | undefined): Promise<void> {
    const { engine, log } = this.#parts;
    const { pause } = engine;
    const { phoneId } = phone;
    if (pause === undefined && (await engine.power(phone, signal)).on)
      throw new PhoneFailure('Phones of this kind cannot be kept still while they are on. Stop the phone first.');
    this.#held.add(phoneId);
    try {
      await pause?.begin(phone, { signal });
      await use();
    } finally {
      // What `use` made is whole, also where the phone does not go on yet.
      await pause?.end(phone).catch((error: unknown) => {
        log.warn({ phone: phoneId, err: error }, 'the pause of a phone could not be ended; trying again');
        this.#ends.begin(phoneId);
      });
      this.#held.delete(phoneId);
    }
  }

  /** Call it when a phone is found paused. */
  found(phoneId: string): void {
    if (!this.#held.has(phoneId)) this.#ends.begin(phoneId);
  }

  async #end(phoneId: string): Promise<void> {
    const phone = await this.#parts.folders.readWhole(phoneId);
    if (phone !== undefined) await this.#parts.engine.pause?.end(phone);
  }
}
