import type { Clock } from '../../kit/clock.js';
import type { DeviceDocument, DeviceStore } from '../store/devices.js';

/** When phones that do not run, or whose state is not known, were first missed, until that is written in their devices. */
export class MissedPhones {
  readonly #devices: DeviceStore;
  readonly #clock: Clock;
  readonly #sinceMs = new Map<string, number>();

  constructor({ devices, clock }: { devices: DeviceStore; clock: Clock }) {
    this.#devices = devices;
    this.#clock = clock;
  }

  /** Notes that the phone is missed, unless it was before. Returns since when. */
  note(phoneId: string): number {
    const sinceMs = this.#sinceMs.get(phoneId) ?? this.#clock.now();
    this.#sinceMs.set(phoneId, sinceMs);
    return sinceMs;
  }

  has(phoneId: string): boolean {
    return this.#sinceMs.has(phoneId);
  }

  sinceMs(phoneId: string): number | undefined {
    return this.#sinceMs.get(phoneId);
  }

  /** The phone was found, or the time is written in its device. */
  delete(phoneId: string): void {
    this.#sinceMs.delete(phoneId);
  }

  /**
   * Writes since when the state of a phone is not known: if this process ends before its driver responds, and the phone is found off then, its
   * run has ended at that time. One that is found running was not lost.
   */
  async keep(device: DeviceDocument): Promise<void> {
    const sinceMs = this.note(device._id);
    if (device.startedAt === undefined || device.lostAt !== undefined) return;
    await this.#devices.change(device, { lostAt: new Date(sinceMs) });
  }
}
