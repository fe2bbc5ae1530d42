import type { OwnSteps } from '../tree/what-may-differ.js';

/** Most entries of each kind; the oldest are forgotten first. */
const MAX_KEPT = 40;

/** Collects what one caller's steps did to a phone since its latest observation. */
export class StepsSince {
  #steps: OwnSteps = NOTHING_DONE;
  /** Number of the act that is under way or was the last. */
  #act = 0;
  /** The act that did the last step. */
  #lastStep: number | undefined;
  /** The last input before the observation, monotonic ms. Undefined: the elements may have been read before an input. */
  #observedMs: number | undefined = -Infinity;

  /** Is called when the caller has observed the screen as it was after the input of this time. */
  observed(inputSentMs: number | undefined): void {
    this.#steps = NOTHING_DONE;
    this.#lastStep = undefined;
    this.#observedMs = inputSentMs;
  }

  beginAct(): void {
    this.#act++;
  }

  /** Is called after a step that has sent input. */
  hasSent(step: OwnSteps): void {
    this.#lastStep = this.#act;
    const { typed, pressed, strokes } = this.#steps;
    this.#steps = {
      typed: [...typed, ...step.typed].slice(-MAX_KEPT),
      pressed: [...pressed, ...step.pressed].slice(-MAX_KEPT),
      strokes: [...strokes, ...step.strokes].slice(-MAX_KEPT),
    };
  }

  /** Whether anybody may have sent input since the observation. `othersMs`: when anybody but the caller last did. */
  hasActed(othersMs: number): boolean {
    return this.#lastStep !== undefined || this.#haveOthersActed(othersMs);
  }

  /**
   * Returns the caller's steps while they may explain what changed. They may do so during their act and the next one, if nobody else acted.
   */
  own(othersMs: number): OwnSteps | undefined {
    if (this.#lastStep === undefined || this.#act - this.#lastStep > 1) return undefined;
    return this.#haveOthersActed(othersMs) ? undefined : this.#steps;
  }

  #haveOthersActed(othersMs: number): boolean {
    return this.#observedMs === undefined || othersMs > this.#observedMs;
  }
}

const NOTHING_DONE: OwnSteps = { typed: [], pressed: [], strokes: [] };
