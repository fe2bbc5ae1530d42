import type { PhoneBattery, PhoneConditions, PhoneLocation, PhoneNetworkQuality } from '../../phone/conditions.js';

/** Place, power and network of the stand-in's guest, as its console changes them. */
export class GuestConditions {
  /** Called with each change, and at once with those made before it was set. */
  #listener: (conditions: PhoneConditions) => void = () => undefined;
  #location: PhoneLocation | undefined;
  #battery: PhoneBattery = { level: 100, charging: true };
  #network: PhoneNetworkQuality = { latencyMs: 0, loss: 0 };

  set onChange(listener: (conditions: PhoneConditions) => void) {
    this.#listener = listener;
    this.#notify();
  }

  /** Does a command of the console; returns false for one that the emulator does not know, or cannot do. */
  apply([word, what = '', ...values]: readonly string[]): boolean {
    const isDone = this.#do(`${word ?? ''} ${what}`, values);
    if (isDone) this.#notify();
    return isDone;
  }

  #do(command: string, values: readonly string[]): boolean {
    const [first = ''] = values;
    switch (command) {
      case 'geo fix': {
        const [longitude = NaN, latitude = NaN, altitude = 0] = values.map(Number);
        if (!(Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90 && Number.isFinite(altitude))) return false;
        this.#location = { latitude, longitude, altitude };
        return true;
      }
      case 'power capacity': {
        const level = Number(first);
        if (!Number.isInteger(level) || level < 0 || level > 100) return false;
        this.#battery = { ...this.#battery, level };
        return true;
      }
      case 'power ac':
        if (first !== 'on' && first !== 'off') return false;
        this.#battery = { ...this.#battery, charging: first === 'on' };
        return true;
      case 'power status':
        return ['unknown', 'charging', 'discharging', 'not-charging', 'full'].includes(first);
      case 'network delay': {
        const latencyMs = first === 'none' ? 0 : Number(first);
        if (!(latencyMs >= 0)) return false;
        this.#network = { ...this.#network, latencyMs };
        return true;
      }
      case 'network speed': {
        const { latencyMs, loss } = this.#network;
        const kbps = Number(first.split(':')[0]);
        if (first !== 'full' && !(kbps > 0)) return false;
        this.#network = { latencyMs, loss, ...(first !== 'full' && { kbps }) };
        return true;
      }
      default:
        return false;
    }
  }

  #notify(): void {
    this.#listener({
      ...(this.#location !== undefined && { location: this.#location }),
      battery: this.#battery,
      network: this.#network,
    });
  }
}
