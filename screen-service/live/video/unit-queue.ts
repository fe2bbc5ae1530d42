import type { VideoUnit } from './video-unit.js';

/** A viewer whose oldest unit has waited for this long is too slow to get all units, ms. */
const LATE_MS = 400;
/** The most units and bytes that may wait for one viewer. */
const MAX_UNITS = 60;
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * The units that wait for one viewer, in order. A viewer that is too slow loses all of them, and goes on with the next key frame. A newer
 * key frame replaces the units before it.
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
    if (!unit.isKey && (isLate || this.#units.length > MAX_UNITS || this.#bytes > MAX_BYTES)) this.drop();
  }

  /** Removes and returns the oldest unit. */
  shift(): VideoUnit | undefined {
    const unit = this.#units.shift();
    this.#bytes -= unit?.data.length ?? 0;
    return unit;
  }

  /** Drops all units: the next one must be a key frame. */
  drop(): void {
    this.#units = [];
    this.#bytes = 0;
    this.#needsKey = true;
  }
}
