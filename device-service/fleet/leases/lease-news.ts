import { WakeSignal } from '../../../kit/async/wake-signal.js';

/** Wakes the calls that wait for a device in this process, each time a lease ends here. Other processes' ends are found by polling. */
export class LeaseNews {
  readonly #signals = new Set<WakeSignal>();
  #closed = false;

  /** Whether the calls that wait must end, as the service stops. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Ends all waits, from now on. */
  close(): void {
    this.#closed = true;
    this.wake();
  }

  wake(): void {
    for (const signal of this.#signals) signal.wake();
  }

  /** Runs `work` with a signal that is woken from now on. */
  async during<T>(work: (woken: WakeSignal) => Promise<T>): Promise<T> {
    const signal = new WakeSignal();
    this.#signals.add(signal);
    try {
      return await work(signal);
    } finally {
      this.#signals.delete(signal);
    }
  }
}
