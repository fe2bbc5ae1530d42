import type { WebSocket } from 'ws';
import type { Clock, Timer } from '../../kit/async/clock.js';

/** How often a ping is sent, and after how long without a sign of life a client is cut off, ms. */
const PING_EVERY_MS = 15_000;
const MAX_SILENT_MS = 45_000;

/** Sends pings over a WebSocket until it closes, and cuts off a client that shows no sign of life. */
export class Heartbeat {
  readonly #ws: WebSocket;
  readonly #clock: Clock;
  readonly #connection: { readonly bytesRead: number } | undefined;
  #readBytes = 0;
  #heardMs: number;
  #timer: Timer;

  /** `connection`: each byte that comes over it is a sign of life. Absent: only whole messages are. */
  constructor(ws: WebSocket, clock: Clock, connection?: { readonly bytesRead: number }) {
    this.#connection = connection;
    this.#ws = ws;
    this.#clock = clock;
    this.#heardMs = clock.monotonicMs();
    for (const event of ['message', 'ping', 'pong'] as const) ws.on(event, () => this.heard());
    this.#timer = clock.after(PING_EVERY_MS, () => this.#beat());
    ws.once('close', () => this.#timer.cancel());
  }

  /** When the client showed the latest sign of life, in monotonic time. */
  get heardMs(): number {
    return this.#heardMs;
  }

  /** Notes a sign of life. */
  heard(): void {
    this.#heardMs = this.#clock.monotonicMs();
  }

  #beat(): void {
    const { bytesRead = 0 } = this.#connection ?? {};
    // While its input waits, nothing is read from the client, so it does not count as silent.
    if (this.#ws.isPaused || bytesRead !== this.#readBytes) this.heard();
    this.#readBytes = bytesRead;
    if (this.#clock.monotonicMs() - this.#heardMs > MAX_SILENT_MS) {
      this.#ws.terminate();
      return;
    }
    if (this.#ws.readyState === this.#ws.OPEN) this.#ws.ping();
    this.#timer = this.#clock.after(PING_EVERY_MS, () => this.#beat());
  }
}
