import { decelerate, progressAt, timed, type Motion } from './motion.js';

/** Offset (dp) and opacity of a view, relative to its layout. */
export interface Pose {
  dx: number;
  dy: number;
  alpha: number;
}

export const AT_REST: Pose = { dx: 0, dy: 0, alpha: 1 };

/** The change of a view from one pose to another. */
export class PoseChange {
  readonly motion: Motion;
  readonly #from: Pose;
  readonly #to: Pose;
  readonly #startMs: number;
  readonly #durationMs: number;

  constructor(from: Pose, to: Pose, startMs: number, durationMs: number) {
    this.#from = from;
    this.#to = to;
    this.#startMs = startMs;
    this.#durationMs = durationMs;
    this.motion = timed(startMs, durationMs);
  }

  at(nowMs: number): Pose {
    const [from, to] = [this.#from, this.#to];
    const t = decelerate(progressAt(this.#startMs, this.#durationMs, nowMs));
    return {
      dx: from.dx + (to.dx - from.dx) * t,
      dy: from.dy + (to.dy - from.dy) * t,
      alpha: from.alpha + (to.alpha - from.alpha) * t,
    };
  }
}
