/** A period, ms, and the bytes and packets that a phone may send within one. They are ten times the most that it was requested to send. */
const PERIOD_MS = 2_000;
const MAX_BYTES = 24 * 1024 * 1024;
const MAX_PACKETS = 600;

/** Refuses a video that has more bytes or packets a second than that of any screen. */
export class FloodGuard {
  #beganMs = -Infinity;
  #bytes = 0;
  #packets = 0;

  /** Counts a packet. Throws when there are too many. */
  count(bytes: number, nowMs: number): void {
    if (nowMs - this.#beganMs > PERIOD_MS) {
      this.#beganMs = nowMs;
      this.#bytes = 0;
      this.#packets = 0;
    }
    this.#bytes += bytes;
    this.#packets++;
    if (this.#bytes > MAX_BYTES || this.#packets > MAX_PACKETS) {
      throw new Error(`${this.#packets} packets of ${this.#bytes} bytes in ${Math.round(nowMs - this.#beganMs)} ms`);
    }
  }
}
