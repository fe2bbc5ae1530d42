/** Most that a phone may send within one period, ms, bytes and packets: ten times what it was requested to send at the most. */
const PERIOD_MS = 2_000;
const BYTES_MOST = 24 * 1024 * 1024;
const PACKETS_MOST = 600;

/** Refuses a video of more bytes or packets a second than any screen has. */
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
    if (this.#bytes > BYTES_MOST || this.#packets > PACKETS_MOST) {
      throw new Error(`${this.#packets} packets of ${this.#bytes} bytes in ${Math.round(nowMs - this.#beganMs)} ms`);
    }
  }
}
