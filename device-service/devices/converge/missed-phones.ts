import type { Clock } from '../../../kit/async/clock.js';
import type { DeviceDocument, DeviceStore } from '../../store/devices.js';

/**
 * Remembers when a phone was first missed: it does not run, or its state is not known. An entry stays until its time is written to the
 * device.
 */
export class MissedPhones {
  readonly #devices: DeviceStore;
  readonly #clock: Clock;
  readonly #sinceMs = new Map<string, number>();

  constructor({ devices, clock }: { devices: DeviceStore; clock: Clock }) {
    this.#devices = devices;
    this.#clock = clock;
  }

  /** Notes the present time as the one at which the phone was missed, unless a time is already noted. Returns the noted time. */
  note(phoneId: string): number {
    const sinceMs = this.#sinceMs.get(phoneId) ?? this.#clock.now();
    this.#sinceMs.set(phoneId, sinceMs);
    return sinceMs;
  }

  has(phoneId: string): boolean {
    return this.#sinceMs.has(phoneId);
  }

  /** Returns whether the phone was missed, so that its run may be over. */
  isDoubtful({ _id, lostAt }: Pick<DeviceDocument, '_id' | 'lostAt'>): boolean {
    return lostAt !== undefined || this.has(_id);
  }

  sinceMs(phoneId: string): number | undefined {
    return this.#sinceMs.get(phoneId);
  }

  /** Removes the note, when the phone was found or the time is written in its device. */
  delete(phoneId: string): void {
    this.#sinceMs.delete(phoneId);
  }

  /**
   * Writes the time since which the state of a phone is unknown. This process may end before the driver responds. If the phone is found
   * off then, its run ended at the written time; if it is found running, nothing was lost.
   */
  async keep(device: DeviceDocument): Promise<void> {
    const sinceMs = this.note(device._id);
    if (device.startedAt === undefined || device.lostAt !== undefined) return;
    await this.#devices.change(device, { lostAt: new Date(sinceMs) });
  }
}
