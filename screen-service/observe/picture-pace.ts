/** Pictures are taken this often during a dump, ms. A dump waits until the screen was quiet for a second, so several pictures show it. */
const WATCH_EVERY_MS = 300;

/**
 * Pictures are taken without a pause around the usual arrival of the tree, so that one picture is nearly complete then. These numbers bound
 * that period before and after the arrival, in durations of one capture. When the tree is late, the pauses begin again.
 */
const EARLY_CAPTURES = 0.85;
const LATE_CAPTURES = 3;

/** Pictures are not timed by the arrival of trees that usually take no longer than this, ms. */
const WORTH_EXPECTING_MS = 100;

/** The usual times of one phone, ms; undefined: not known yet. */
export interface UsualTimes {
  treeMs: number | undefined;
  captureMs: number | undefined;
}

/**
 * Returns when the next picture is due, if the last one arrived at `lastMs` and a tree was requested at `askedMs`; monotonic ms. A picture
 * is under way when the tree is expected.
 */
export function nextPictureMs(lastMs: number, askedMs: number, usual: UsualTimes): number {
  const { treeMs = 0, captureMs = 0 } = usual;
  if (lastMs > askedMs + treeMs + captureMs * LATE_CAPTURES) return lastMs + WATCH_EVERY_MS;
  const dueMs = treeMs > WORTH_EXPECTING_MS ? withTreeMs(askedMs, usual) : Infinity;
  return Math.max(lastMs, Math.min(lastMs + WATCH_EVERY_MS, dueMs));
}

/** Returns when to request the picture that arrives right after a tree that was requested at `askedMs`; monotonic ms. */
export function withTreeMs(askedMs: number, { treeMs = 0, captureMs = 0 }: UsualTimes): number {
  return askedMs + treeMs - captureMs * EARLY_CAPTURES;
}
