/** Pictures are taken this often during a dump, ms. The content of a dump was there for longer: a dump waits for a second of quiet. */
const WATCH_EVERY_MS = 300;

/**
 * Around the time at which the tree usually arrives, pictures are taken without a pause, in durations of one: one should be nearly there
 * then. They pause again when the tree is late.
 */
const EARLY_CAPTURES = 0.85;
const LATE_CAPTURES = 3;

/** Trees that usually arrive sooner than this are only waited for, ms. */
const WORTH_EXPECTING_MS = 100;

/** The usual times of one phone, ms; undefined: not known yet. */
interface UsualTimes {
  treeMs: number | undefined;
  captureMs: number | undefined;
}

/**
 * When the next picture is due while a tree is waited for that was requested at `askedMs`, if the last one arrived at `lastMs`; monotonic
 * ms. One is under way when the tree is expected.
 */
export function nextPictureMs(lastMs: number, askedMs: number, { treeMs = 0, captureMs = 0 }: UsualTimes): number {
  const dueMs = treeMs > WORTH_EXPECTING_MS ? askedMs + treeMs : Infinity;
  if (lastMs > dueMs + captureMs * LATE_CAPTURES) return lastMs + WATCH_EVERY_MS;
  return Math.max(lastMs, Math.min(lastMs + WATCH_EVERY_MS, dueMs - captureMs * EARLY_CAPTURES));
}
