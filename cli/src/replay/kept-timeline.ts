import type { CloudPhone } from '../../../client/src/cloud-phone.js';

/**
 * Keeps the timeline of a phone on while it is recorded, and turns it off afterwards where it was off. Another recording of the phone may end
 * meanwhile and turn the timeline off. Then this one turns it on again, and is the one that turns it off.
 */
export class KeptTimeline {
  readonly #phone: CloudPhone;
  readonly #name: string;
  #isOurs = false;

  constructor(phone: CloudPhone, name: string) {
    this.#phone = phone;
    this.#name = name;
  }

  /** Turns the timeline on where it is off. Returns whether it was off. */
  async keepOn(): Promise<boolean> {
    const params = { path: { name: this.#name } };
    const { device } = await this.#phone.get('/v1/devices/{name}', { params });
    if (device.timeline) return false;
    // The request is not ended by Ctrl-C, and it may be done though its response is lost. So the timeline is turned off in either case.
    this.#isOurs = true;
    await this.#phone.patch('/v1/devices/{name}', { params, body: { timeline: true } });
    return true;
  }

  /** Turns the timeline off where it was off before. Returns whether it did. */
  async restore(): Promise<boolean> {
    if (!this.#isOurs) return false;
    await this.#phone.patch('/v1/devices/{name}', {
      params: { path: { name: this.#name } },
      body: { timeline: false },
    });
    this.#isOurs = false;
    return true;
  }
}
