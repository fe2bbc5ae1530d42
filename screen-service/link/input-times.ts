import type { InputSender } from '../../kit/call/call.js';
import type { Clock } from '../../kit/async/clock.js';

/** When somebody sent input, and the latest input of anybody else, monotonic ms. */
interface Times {
  by: object | undefined;
  ms: number;
  othersMs: number;
}

/** Notes when this service last sent input to a phone, and on behalf of whom, so that no input is taken for another caller's. */
export class InputTimes {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #times: Times = { by: undefined, ms: -Infinity, othersMs: -Infinity };

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** When anybody last sent input, monotonic ms; -Infinity: nobody has. */
  get lastMs(): number {
    return this.#times.ms;
  }

  /** When anybody but `by` last sent input, monotonic ms; -Infinity: nobody has. */
  othersMs(by: object): number {
    const { by: last, ms, othersMs } = this.#times;
    return last === by ? othersMs : ms;
  }

  /**
   * Notes input that begins now. Returns the functions to call when the phone has taken it, or has refused it so that nothing was sent.
   * Input that somebody else has sent meanwhile stays noted.
   */
  begin(sender: InputSender | undefined): { taken: () => void; refused: () => void } {
    const before = this.#times;
    this.#note(sender);
    const noted = this.#times;
    if (sender !== undefined) sender.sent++;
    return {
      taken: () => this.#note(sender),
      refused: () => {
        if (sender !== undefined) sender.sent--;
        if (this.#times === noted) this.#times = before;
      },
    };
  }

  #note(sender: InputSender | undefined): void {
    const { by, ms, othersMs } = this.#times;
    const isSame = sender?.by === by;
    this.#times = { by: sender?.by, ms: this.#clock.monotonicMs(), othersMs: isSame ? othersMs : ms };
  }
}
