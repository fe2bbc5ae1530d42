import { FRAME_MS } from './motion.js';

/** Speed is divided by e in this time. With 325 ms a fast swipe coasts for about a second, as on a phone. */
const DECAY_MS = 325;
/** Below this speed a list stops, dp per ms. */
const STILL_DP_PER_MS = 0.03;
/** A finger that lifts slower than this leaves the list where it is, dp per ms. */
const LEAST_FLING_DP_PER_MS = 0.05;
/** Android's cap on fling speed, dp per ms. */
const MOST_FLING_DP_PER_MS = 8;

/** A scroll position that moves on by itself: known at every time from the start. */
export interface Glide {
  readonly startMs: number;
  readonly durationMs: number;
  at(nowMs: number): number;
}

/** The coasting after a swipe, held between `least` and `most`; undefined when the finger was too slow. */
export function fling(
  startMs: number,
  from: number,
  speedDpPerMs: number,
  bounds: { least: number; most: number },
): Glide | undefined {
  const speed = Math.max(-MOST_FLING_DP_PER_MS, Math.min(MOST_FLING_DP_PER_MS, speedDpPerMs));
  if (Math.abs(speed) < LEAST_FLING_DP_PER_MS) return undefined;
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

/** An even slide to a place, for pages and for bringing something into view. */
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
