/** The period up to now over which the speed of a finger is measured, ms. */
const SPEED_WINDOW_MS = 100;

/** Returns the speed over the last moments, dp per ms. */
export function speedOf(
  samples: readonly { ms: number; x: number; y: number }[],
  nowMs: number,
): { x: number; y: number } {
  const recent = samples.filter(({ ms }) => nowMs - ms <= SPEED_WINDOW_MS);
  const first = recent[0];
  const last = recent.at(-1);
  if (!first || !last || last.ms - first.ms < 1) return { x: 0, y: 0 };
  const ms = last.ms - first.ms;
  return { x: (last.x - first.x) / ms, y: (last.y - first.y) / ms };
}
