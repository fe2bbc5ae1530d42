import type { PacketScanner } from '../../phone/adb/packet-scanner.js';
import { MIN_WORK_PER_TURN, WORK_PER_TURN } from '../limits.js';

/** Divides the work of each turn of the event loop among the connections of an instance. */
export class Pace {
  readonly #behind = new Set<PacedInput>();
  readonly #used = new Set<PacedInput>();
  #isTurnPlanned = false;
  #share = WORK_PER_TURN;

  /** The work that one input may do in this turn. */
  get share(): number {
    return this.#share;
  }

  /** Notes that an input has worked in this turn, and plans the next turn. */
  used(input: PacedInput): void {
    this.#used.add(input);
    if (input.isBehind) this.#behind.add(input);
    else this.#behind.delete(input);
    if (this.#isTurnPlanned) return;
    this.#isTurnPlanned = true;
    setImmediate(() => {
      this.#isTurnPlanned = false;
      this.#share = Math.max(MIN_WORK_PER_TURN, WORK_PER_TURN / Math.max(1, this.#behind.size));
      const inputs = [...this.#used];
      this.#used.clear();
      for (const each of inputs) each.turn();
    });
  }
}

/**
 * Hands the bytes of one side to its scanner, and bounds the work in each turn of the event loop. Small packets and records cost far more
 * than their number of bytes. The side is not read while some of its bytes wait.
 */
export class PacedInput {
  readonly #scanner: PacketScanner;
  readonly #pace: Pace;
  readonly #run: (read: () => void) => void;
  #waiting: Buffer[] = [];
  /** Work done in this turn. */
  #work = 0;

  /** `run` calls its argument, which hands bytes to the scanner and may throw. */
  constructor(scanner: PacketScanner, pace: Pace, run: (read: () => void) => void) {
    this.#scanner = scanner;
    this.#pace = pace;
    this.#run = run;
  }

  /** Whether bytes wait for the next turn. */
  get isBehind(): boolean {
    return this.#waiting.length > 0;
  }

  push(chunk: Buffer): void {
    this.#waiting.push(chunk);
    this.#run(() => this.#read());
  }

  /** Adds to the work of the current packet, which cost more than its size suggests. */
  charge(work: number): void {
    this.#scanner.charge(work);
  }

  /** Begins the next turn, and handles bytes that wait. */
  turn(): void {
    this.#work = 0;
    if (this.isBehind) this.#run(() => this.#read());
  }

  /** Stops the scanner and drops the bytes that wait. */
  stop(): void {
    this.#scanner.stop();
    this.#waiting = [];
    this.#pace.used(this);
  }

  #read(): void {
    const most = this.#pace.share;
    while (this.#work < most) {
      const chunk = this.#waiting.shift();
      if (!chunk) break;
      const { rest, work } = this.#scanner.push(chunk, most - this.#work);
      this.#work += work;
      if (rest.length > 0) this.#waiting.unshift(rest);
    }
    this.#pace.used(this);
  }
}
