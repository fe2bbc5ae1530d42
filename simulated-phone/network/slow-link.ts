import type { Clock } from '../../kit/async/clock.js';
import type { PhoneNetworkQuality } from '../../phone/conditions.js';

export interface SlowLinkParts {
  /** Returns the quality at this moment. Undefined: nothing slows the phone. */
  quality: () => PhoneNetworkQuality | undefined;
  clock: Clock;
  /** Returns a random number, 0 <= n < 1. */
  random: () => number;
}

/**
 * Longest time for which one request takes the link before others have their turn, ms. An aborted request holds the link no longer than
 * that.
 */
const TURN_MS = 250;

/** The connection that all requests of a phone share. Each round trip takes its time or gets lost, and bytes go through at a rate. */
export class SlowLink {
  readonly #parts: SlowLinkParts;
  /** When the earlier bytes have gone through, on the monotonic clock. */
  #freeAtMs = 0;

  constructor(parts: SlowLinkParts) {
    this.#parts = parts;
  }

  /** Waits for a round trip. Throws LostRequest where it gets lost. */
  async roundTrip(signal: AbortSignal): Promise<void> {
    const { quality, clock, random } = this.#parts;
    const { latencyMs, loss } = quality() ?? { latencyMs: 0, loss: 0 };
    if (latencyMs > 0) await clock.sleep(latencyMs, signal);
    if (loss > 0 && random() < loss) throw new LostRequest();
  }

  /** Waits until this many bytes have gone through. A rate that changes meanwhile is followed. */
  async pass(bytes: number, signal: AbortSignal): Promise<void> {
    const { quality, clock } = this.#parts;
    let bits = bytes * 8;
    while (bits > 0) {
      // Kilobits a second are the same number as bits a millisecond.
      const rate = quality()?.kbps;
      if (rate === undefined) return;
      const turn = Math.min(bits, rate * TURN_MS);
      const nowMs = clock.monotonicMs();
      this.#freeAtMs = Math.max(nowMs, this.#freeAtMs) + turn / rate;
      bits -= turn;
      await clock.sleep(this.#freeAtMs - nowMs, signal);
    }
  }
}

/** The error of a request that got lost on the way, because of the `loss` of the phone's network. */
export class LostRequest extends Error {
  override name = 'LostRequest';
  readonly code = 'NETWORK_LOST';

  constructor() {
    super('the request got lost: the connection of the phone is set to lose some');
  }
}
