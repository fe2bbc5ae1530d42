import type { Clock } from '../../../../kit/async/clock.js';
import { BrokenPipe } from '../../../../phone/adb/device/broken-pipe.js';
import { otherWork } from '../../fair-streams.js';
import type { Steps } from './steps.js';

const STEPS_PER_LOOK = 128;
const CHARS_PER_STEP = 256;
/** How long awk may keep the process to itself, ms. */
const TURN_MS = 10;

/** Lets other work of the process run regularly, and ends awk when its client is gone. A loop in a script may never wait by itself. */
export class Turns {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #stepsLeft = STEPS_PER_LOOK;
  #beganMs: number;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    this.#beganMs = clock.monotonicMs();
  }

  /** Counts a step that works on `chars` characters. Returns whether `give` is due. */
  isDue(chars = 0): boolean {
    this.#stepsLeft -= 1 + chars / CHARS_PER_STEP;
    if (this.#stepsLeft > 0) return false;
    this.#stepsLeft = STEPS_PER_LOOK;
    return this.isOver();
  }

  isOver(): boolean {
    return this.#clock.monotonicMs() - this.#beganMs >= TURN_MS;
  }

  /** Checks the client. Throws BrokenPipe when it is gone. */
  check(): void {
    if (this.#signal.aborted) throw new BrokenPipe('ended');
  }

  *give(): Steps<void> {
    yield async () => {
      await otherWork();
      this.#beganMs = this.#clock.monotonicMs();
    };
  }
}
