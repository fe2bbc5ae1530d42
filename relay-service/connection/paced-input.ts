import type { PacketScanner } from '../../phone/adb/packet-scanner.js';
import { LEAST_WORK_PER_TURN, WORK_PER_TURN } from '../limits.js';

/** Divides the work of each turn of the event loop among the connections of an instance. */
export class Pace {
  readonly #behind = new Set<PacedInput>();
  readonly #used = new Set<PacedInput>();
  #isTurnPlanned = false;
  #share = WORK_PER_TURN;

  /** The work of one input in this turn. */
  get share(): number {
    return this.#share;
  }

  /** An input has worked in this turn. */
  used(input: PacedInput): void {
    this.#used.add(input);
    if (input.isBehind) this.#behind.add(input);
    else this.#behind.delete(input);
    if (this.#isTurnPlanned) return;
    this.#isTurnPlanned = true;
    setImmediate(() => {
      this.#isTurnPlanned = false;
      this.#share = Math.max(LEAST_WORK_PER_TURN, WORK_PER_TURN / Math.max(1, this.#behind.size));
      const inputs = [...this.#used];
      this.#used.clear();
      for (const each of inputs) each.turn();
    });
  }
}

/**
 * Hands one side's bytes to its scanner with a bound of work for each turn of the event loop, as small packets and records cost far
 * more than their bytes. The side is not read while some of its bytes wait.
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

  /** The packet at hand took more work than its size stands for. */
  charge(work: number): void {
    this.#scanner.charge(work);
  }

  /** The next turn has begun. */
  turn(): void {
    this.#work = 0;
    if (this.isBehind) this.#run(() => this.#read());
  }

  /** Nothing more is handed over. */
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
