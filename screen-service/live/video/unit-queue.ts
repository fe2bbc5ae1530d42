import type { VideoUnit } from './video-unit.js';

/** A viewer whose oldest unit waits for so long is too slow for all of them, ms. */
const LATE_MS = 400;
/** Units and bytes that wait for one viewer. */
const UNITS_MOST = 60;
const BYTES_MOST = 4 * 1024 * 1024;

/**
 * The units that wait for one viewer, in order. A viewer that is too slow loses all of them, and goes on with the next key frame; a newer
 * key frame takes the place of everything before it.
 */
export class UnitQueue {
  #units: VideoUnit[] = [];
  #bytes = 0;
  #needsKey = true;

  /** Whether nothing can be sent before the next key frame. */
  get needsKey(): boolean {
    return this.#needsKey;
  }

  get head(): VideoUnit | undefined {
    return this.#units[0];
  }

  push(unit: VideoUnit): void {
    if (unit.isKey) this.drop();
    else if (this.#needsKey) return;
    this.#needsKey = false;
    this.#units.push(unit);
    this.#bytes += unit.data.length;
    const [oldest = unit] = this.#units;
    const isLate = unit.cameMs - oldest.cameMs > LATE_MS;
    if (!unit.isKey && (isLate || this.#units.length > UNITS_MOST || this.#bytes > BYTES_MOST)) this.drop();
  }

  /** Removes the oldest. */
  shift(): VideoUnit | undefined {
    const unit = this.#units.shift();
    this.#bytes -= unit?.data.length ?? 0;
    return unit;
  }

  /** Forgets all of them: the next one is a key frame. */
  drop(): void {
    this.#units = [];
    this.#bytes = 0;
    this.#needsKey = true;
  }
}
