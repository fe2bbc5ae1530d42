import { FRAME_MS } from './motion.js';

/** Time in which the speed is divided by e, ms. With 325 ms a fast swipe coasts for about a second, as on a phone. */
const DECAY_MS = 325;
/** Below this speed a list stops, dp per ms. */
const STILL_DP_PER_MS = 0.03;
/** A finger that lifts slower than this leaves the list where it is, dp per ms. */
const MIN_FLING_DP_PER_MS = 0.05;
/** Android's cap on fling speed, dp per ms. */
const MAX_FLING_DP_PER_MS = 8;

/** A scroll position that moves by itself. When the motion starts, the position is known for every later time. */
export interface Glide {
  readonly startMs: number;
  readonly durationMs: number;
  at(nowMs: number): number;
}

/** Returns the motion of a list after a swipe, between `least` and `most`. Returns undefined when the finger was too slow. */
export function fling(
  startMs: number,
  from: number,
  speedDpPerMs: number,
  bounds: { least: number; most: number },
): Glide | undefined {
  const speed = Math.max(-MAX_FLING_DP_PER_MS, Math.min(MAX_FLING_DP_PER_MS, speedDpPerMs));
  if (Math.abs(speed) < MIN_FLING_DP_PER_MS) return undefined;
  const place = (ms: number): number => from + speed * DECAY_MS * (1 - Math.exp(-ms / DECAY_MS));
  const coastMs = DECAY_MS * Math.log(Math.abs(speed) / STILL_DP_PER_MS);
  const wall = speed > 0 ? bounds.most : bounds.least;
  const share = (wall - from) / (speed * DECAY_MS);
  const wallMs = share < 1 ? -DECAY_MS * Math.log(1 - Math.max(0, share)) : Infinity;
  const durationMs = Math.min(coastMs, wallMs);
  if (durationMs <= 0) return undefined;
  const end = Math.max(bounds.least, Math.min(bounds.most, place(durationMs)));
  return { startMs, durationMs, at: inFrames(startMs, durationMs, end, place) };
}

/** Returns a slide to a position, which slows down towards its end. Pages use it, and scrolling to bring a view into sight. */
export function slideTo(startMs: number, from: number, to: number, durationMs: number): Glide {
  const place = (ms: number): number => from + (to - from) * (1 - (1 - ms / durationMs) ** 3);
  return { startMs, durationMs, at: inFrames(startMs, durationMs, to, place) };
}

function inFrames(startMs: number, durationMs: number, end: number, place: (ms: number) => number) {
  return (nowMs: number): number => {
    if (nowMs >= startMs + durationMs) return end;
    return place(Math.max(0, Math.floor((nowMs - startMs) / FRAME_MS) * FRAME_MS));
  };
}
