import type { PhoneBattery, PhoneConditions, PhoneLocation, PhoneNetworkQuality } from '../../phone/conditions.js';
import type { Conditions } from '../system/system.js';

/** A phone's own battery, which is at its charger, and full. */
const OWN_BATTERY: PhoneBattery = { level: 100, charging: true };

/** The conditions of one running phone: those that were set for it, else its own. */
export class SeenConditions implements Conditions {
  #set: PhoneConditions;
  readonly #listeners: (() => void)[] = [];

  constructor(set: PhoneConditions = {}) {
    this.#set = set;
  }

  get location(): PhoneLocation | undefined {
    return this.#set.location;
  }

  get battery(): PhoneBattery {
    return this.#set.battery ?? OWN_BATTERY;
  }

  get network(): PhoneNetworkQuality | undefined {
    return this.#set.network;
  }

  set(conditions: PhoneConditions): void {
    if (conditions === this.#set) return;
    this.#set = conditions;
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }
}
