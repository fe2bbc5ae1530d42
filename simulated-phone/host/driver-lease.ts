import type { Clock, Timer } from '../../kit/async/clock.js';
import type { PhoneChange } from '../../phone/driver.js';
import { Mailbox } from '../streams/mailbox.js';
import { PROTOCOL } from './protocol.js';
import type { PhoneHost } from './phone-host.js';

/** One response of Attend. */
export interface Attended {
  changedPhoneId?: string;
  reason?: string;
  protocol?: number;
  runningPhoneIds?: string[];
}

/**
 * Keeps this process alive while a driver attends it. When none has attended it for `graceMs`, the process saves its phones and ends. So a
 * service that was killed for good leaves nothing behind, and one that comes back in time finds its phones running.
 */
export class DriverLease {
  readonly #clock: Clock;
  readonly #graceMs: number;
  readonly #onAbandoned: () => void;
  #drivers = 0;
  #timer: Timer | undefined;

  constructor(options: { clock: Clock; graceMs: number; onAbandoned: () => void }) {
    this.#clock = options.clock;
    this.#graceMs = options.graceMs;
    this.#onAbandoned = options.onAbandoned;
    this.#startGrace();
  }

  /** Yields the process's description, then each phone whose state changed without an operation, until the driver leaves. */
  async *attend(host: PhoneHost, signal: AbortSignal): AsyncGenerator<Attended> {
    const changes = new Mailbox<PhoneChange>();
    const unsubscribe = host.onChange((change) => changes.add(change));
    const onAbort = (): void => changes.close();
    signal.addEventListener('abort', onAbort);
    this.#drivers++;
    this.#timer?.cancel();
    try {
      yield { protocol: PROTOCOL, runningPhoneIds: host.runningPhoneIds() };
      if (signal.aborted) return;
      for (let some = await changes.take(); some; some = await changes.take())
        for (const { phoneId, reason } of some) yield { changedPhoneId: phoneId, reason };
    } finally {
      unsubscribe();
      signal.removeEventListener('abort', onAbort);
      this.#drivers--;
      if (this.#drivers === 0) this.#startGrace();
    }
  }

  #startGrace(): void {
    this.#timer = this.#clock.after(this.#graceMs, () => {
      if (this.#drivers === 0) this.#onAbandoned();
    });
  }
}
