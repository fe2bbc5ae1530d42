import type { Clock } from '../../../kit/async/clock.js';

/**
 * Bounds the bytes a second that all moves of a host, and its copies of snapshots, send together. Each piece waits until the pieces before
 * it have had their time, so moves at the same time share the bound evenly.
 */
export class Pace {
  readonly #clock: Clock;
  readonly #bytesPerS: number;
  /** When the bytes taken so far have had their time, by the monotonic clock. */
  #freeMs = 0;

  /** `bytesPerS` 0: no bound. */
  constructor(clock: Clock, bytesPerS: number) {
    this.#clock = clock;
    this.#bytesPerS = bytesPerS;
  }

  /** Waits until so many bytes may be sent. Throws when `signal` aborts. */
  async take(bytes: number, signal: AbortSignal): Promise<void> {
    if (this.#bytesPerS === 0) return;
    const nowMs = this.#clock.monotonicMs();
    const fromMs = Math.max(nowMs, this.#freeMs);
    this.#freeMs = fromMs + (bytes / this.#bytesPerS) * 1_000;
    if (fromMs > nowMs) await this.#clock.sleep(fromMs - nowMs, signal);
  }

  /** Yields the pieces no faster than they may be sent, and calls `onSent` with the bytes so far. */
  async *through(
    content: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
    onSent: (bytes: number) => void = () => undefined,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    let bytes = 0;
    for await (const piece of content) {
      await this.take(piece.length, signal);
      yield piece as Uint8Array<ArrayBuffer>;
      bytes += piece.length;
      onSent(bytes);
    }
  }
}
