import type { Faults } from '../system/system.js';

/** The faults of one phone. Tests set its fields. Setting `adbDown` calls `onAdbDown` at once. */
export class PhoneFaults implements Faults {
  captureDelayMs = 0;
  treeDelayMs = 0;
  sourceDelayMs = 0;
  hang = false;
  bootFailure?: 'kernel' | 'system' | 'apps';
  lie?: NonNullable<Faults['lie']>;
  #adbDown = false;
  readonly #onAdbDown: () => void;

  constructor(onAdbDown: () => void) {
    this.#onAdbDown = onAdbDown;
  }

  get adbDown(): boolean {
    return this.#adbDown;
  }

  set adbDown(down: boolean) {
    this.#adbDown = down;
    if (down) this.#onAdbDown();
  }

  /** Sets these faults and no others. */
  set(faults: Partial<Faults>): void {
    this.captureDelayMs = 0;
    this.treeDelayMs = 0;
    this.sourceDelayMs = 0;
    this.hang = false;
    delete this.bootFailure;
    delete this.lie;
    this.adbDown = faults.adbDown ?? false;
    Object.assign(this, faults);
  }

  /** Removes all faults. */
  clear(): void {
    this.set({});
  }
}
