import { WakeSignal } from '../../kit/async/wake-signal.js';

/**
 * Wakes the calls of an account that wait for a lease or for the end of a hand-over in this process. What other processes do is found by
 * polling.
 */
export class DeviceNews {
  readonly #signals = new Map<string, Set<WakeSignal>>();
  #closed = false;

  /** Whether the calls that wait must end, as the service stops. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Ends all waits, from now on. */
  close(): void {
    this.#closed = true;
    for (const accountId of this.#signals.keys()) this.wake(accountId);
  }

  wake(accountId: string): void {
    for (const signal of this.#signals.get(accountId) ?? []) signal.wake();
  }

  /** Runs `work` with a signal that is woken for the account from now on. */
  async during<T>(accountId: string, work: (woken: WakeSignal) => Promise<T>): Promise<T> {
    const signal = new WakeSignal();
    const all = this.#signals.get(accountId) ?? new Set();
    this.#signals.set(accountId, all.add(signal));
    try {
      return await work(signal);
    } finally {
      all.delete(signal);
      if (all.size === 0) this.#signals.delete(accountId);
    }
  }
}
