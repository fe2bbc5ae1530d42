import type { PhoneChange } from './driver.js';

/** Hands changes to every watcher. A watcher that is slow gets one change for each phone, the newest. */
export class ChangeFeed {
  readonly #watchers = new Set<(change: PhoneChange) => void>();

  publish(change: PhoneChange): void {
    for (const watcher of this.#watchers) watcher(change);
  }

  async *watch(signal: AbortSignal): AsyncIterable<PhoneChange> {
    const waiting = new Map<string, PhoneChange>();
    let wake = (): void => undefined;
    const watcher = (change: PhoneChange): void => {
      waiting.set(change.phoneId, change);
      wake();
    };
    const onAbort = (): void => wake();
    this.#watchers.add(watcher);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      while (!signal.aborted) {
        if (waiting.size === 0) await new Promise<void>((resolve) => (wake = resolve));
        for (const [phoneId, change] of waiting) {
          waiting.delete(phoneId);
          yield change;
        }
      }
    } finally {
      this.#watchers.delete(watcher);
      signal.removeEventListener('abort', onAbort);
    }
  }
}
