/** The length of one frame, ms. Moving things advance by whole frames, so the picture is the same for the whole of a frame. */
export const FRAME_MS = 1000 / 60;

/**
 * Something on the screen that changes with time alone. State is a function of the clock, so nothing runs while there is no viewer.
 */
export interface Motion {
  /** Returns a number that differs whenever the picture does. */
  phase(nowMs: number): number;
  /** Returns the earliest time after `nowMs` at which the phase changes. */
  nextMs(nowMs: number): number;
  /** When the motion ends; Infinity for one that never ends. */
  readonly endMs: number;
  /**
   * Whether accessibility is notified of each change, as of a text that counts or a list that scrolls. Then a dump must wait for the
   * motion.
   */
  readonly eventful: boolean;
}

/** Returns a motion that moves at every frame from `startMs` for `durationMs`. */
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

/** Returns a motion that changes every `periodMs` for ever. */
export function ticking(startMs: number, periodMs: number, eventful = false): Motion {
  const count = (nowMs: number): number => Math.floor((nowMs - startMs) / periodMs + 1e-9);
  return {
    phase: count,
    nextMs: (nowMs) => startMs + (count(nowMs) + 1) * periodMs,
    endMs: Infinity,
    eventful,
  };
}

/** Returns the progress from 0 to 1, in whole frames. So it changes only when the phase of `timed` does. */
export function progressAt(startMs: number, durationMs: number, nowMs: number): number {
  if (nowMs >= startMs + durationMs) return 1;
  if (nowMs <= startMs) return 0;
  return Math.min(1, (Math.floor((nowMs - startMs) / FRAME_MS) * FRAME_MS) / durationMs);
}

/** Returns the progress on the curve of windows and panels, which is fast at first and slow at the end. */
export function decelerate(progress: number): number {
  return 1 - (1 - progress) ** 3;
}
