import type { Faults } from '../system/system.js';

/** What faults do to a phone at the moment in which they are set. */
export interface FaultEffects {
  onAdbDown: () => void;
  onAppFailure: (failing: NonNullable<Faults['appFailure']>) => void;
}

/** The faults of one phone. Tests set its fields. Setting `adbDown` or `appFailure` has its effect at once. */
export class PhoneFaults implements Faults {
  captureDelayMs = 0;
  treeDelayMs = 0;
  sourceDelayMs = 0;
  hang = false;
  bootFailure?: 'kernel' | 'system' | 'apps';
  lie?: NonNullable<Faults['lie']>;
  #adbDown = false;
  readonly #effects: FaultEffects;

  constructor(effects: FaultEffects) {
    this.#effects = effects;
  }

  get adbDown(): boolean {
    return this.#adbDown;
  }

  set adbDown(down: boolean) {
    this.#adbDown = down;
    if (down) this.#effects.onAdbDown();
  }

  set appFailure(failing: Faults['appFailure']) {
    if (failing !== undefined) this.#effects.onAppFailure(failing);
  }

  /** Sets these faults and no others. */
  set({ appFailure, ...faults }: Partial<Faults>): void {
    this.captureDelayMs = 0;
    this.treeDelayMs = 0;
    this.sourceDelayMs = 0;
    this.hang = false;
    delete this.bootFailure;
    delete this.lie;
    this.adbDown = faults.adbDown ?? false;
    Object.assign(this, faults);
    this.appFailure = appFailure;
  }

  /** Removes all faults. */
  clear(): void {
    this.set({});
  }
}
