/** The length of one frame. Everything that moves is a function of whole frames, so one revision is one picture. */
export const FRAME_MS = 1000 / 60;

/**
 * Something on the screen that changes with time alone. State is a function of the clock, so nothing runs while there is no viewer.
 */
export interface Motion {
  /** Differs whenever the picture does. */
  phase(nowMs: number): number;
  /** The earliest time after `nowMs` at which the phase is another one. */
  nextMs(nowMs: number): number;
  /** When the motion ends; Infinity for one that never ends. */
  readonly endMs: number;
  /** Whether accessibility is notified of each change (text that counts, a list that scrolls), so a dump must wait for it. */
  readonly eventful: boolean;
}

/** Moves at every frame from `startMs` for `durationMs`. */
export function timed(startMs: number, durationMs: number, eventful = false): Motion {
  const endMs = startMs + durationMs;
  const frame = (nowMs: number): number => Math.floor((nowMs - startMs) / FRAME_MS);
  return {
    phase: (nowMs) => (nowMs >= endMs ? Infinity : nowMs < startMs ? -1 : frame(nowMs)),
    nextMs: (nowMs) => (nowMs < startMs ? startMs : Math.min(endMs, startMs + (frame(nowMs) + 1) * FRAME_MS)),
    endMs,
    eventful,
  };
}

/** Changes every `periodMs` for ever. */
export function ticking(startMs: number, periodMs: number, eventful = false): Motion {
  const count = (nowMs: number): number => Math.floor((nowMs - startMs) / periodMs + 1e-9);
  return {
    phase: count,
    nextMs: (nowMs) => startMs + (count(nowMs) + 1) * periodMs,
    endMs: Infinity,
    eventful,
  };
}

/** 0 to 1, in whole frames, so that it is a function of the phase of `timed`. */
export function progressAt(startMs: number, durationMs: number, nowMs: number): number {
  if (nowMs >= startMs + durationMs) return 1;
  if (nowMs <= startMs) return 0;
  return Math.min(1, (Math.floor((nowMs - startMs) / FRAME_MS) * FRAME_MS) / durationMs);
}

/** Fast out, slow in: the curve of windows and panels. */
export function decelerate(progress: number): number {
  return 1 - (1 - progress) ** 3;
}
