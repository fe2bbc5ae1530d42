import type { Clock, Timer } from '../../../kit/clock.js';
import type { PhoneHost } from './phone-host.js';

/**
 * Who looks after this process. Drivers hold an Attend call open; when none has for `graceMs`, the process saves its phones and
 * ends, so that a service that was killed for good leaves nothing behind, and one that comes back in time finds its phones running.
 */
export class Attendance {
  readonly #clock: Clock;
  readonly #graceMs: number;
  readonly #abandoned: () => void;
  #attending = 0;
  #timer: Timer | undefined;

  constructor(options: { clock: Clock; graceMs: number; abandoned: () => void }) {
    this.#clock = options.clock;
    this.#graceMs = options.graceMs;
    this.#abandoned = options.abandoned;
    this.#startGrace();
  }

  /** Tells once that the process is ready, then of each lost phone, until the driver goes. */
  async *attend(host: PhoneHost, signal: AbortSignal): AsyncGenerator<{ lostPhoneId?: string; reason: string }> {
    const lost: { lostPhoneId: string; reason: string }[] = [];
    let wake = (): void => undefined;
    const forget = host.onLost((lostPhoneId, reason) => {
      lost.push({ lostPhoneId, reason });
      wake();
    });
    signal.addEventListener('abort', () => wake());
    this.#attending++;
    this.#timer?.cancel();
    try {
      yield { reason: 'ready' };
      while (!signal.aborted) {
        if (lost.length === 0) await new Promise<void>((resolve) => (wake = resolve));
        yield* lost.splice(0);
      }
    } finally {
      forget();
      this.#attending--;
      if (this.#attending === 0) this.#startGrace();
    }
  }

  #startGrace(): void {
    this.#timer = this.#clock.after(this.#graceMs, () => {
      if (this.#attending === 0) this.#abandoned();
    });
  }
}
