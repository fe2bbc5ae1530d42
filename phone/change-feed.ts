import { WakeSignal } from '../kit/async/wake-signal.js';
import type { PhoneChange } from './driver.js';

/** Hands changes to every watcher. A watcher that is slow gets one change for each phone, the newest. */
export class ChangeFeed {
  readonly #watchers = new Set<(change: PhoneChange) => void>();

  publish(change: PhoneChange): void {
    for (const watcher of this.#watchers) watcher(change);
  }

  async *watch(signal: AbortSignal): AsyncIterable<PhoneChange> {
    const waiting = new Map<string, PhoneChange>();
    const news = new WakeSignal();
    const watcher = (change: PhoneChange): void => {
      waiting.set(change.phoneId, change);
      news.wake();
    };
    this.#watchers.add(watcher);
    try {
      while (!signal.aborted) {
        if (waiting.size === 0) await news.wait({ signal });
        for (const [phoneId, change] of waiting) {
          waiting.delete(phoneId);
          yield change;
        }
      }
    } finally {
      this.#watchers.delete(watcher);
    }
  }
}
