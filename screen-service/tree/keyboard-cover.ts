import type { Landmark } from './landmarks.js';

/** The keyboard is at least this high, as a share of the screen. */
const KEYBOARD_SHARE = 0.15;

/** What one reading of the screen shows of an app. */
export interface Shown {
  landmarks: readonly Landmark[];
  /** The lower end of the app on the screen, also of parts that are not in `landmarks`, such as lists. */
  bottom: number;
  /** Whether a field of the app has the focus. */
  hasFocus: boolean;
}

/**
 * Returns the landmarks of both readings, without those that the keyboard hides in the other reading. The keyboard is open in the reading in
 * which a field has the focus and the app ends higher up. The keyboard hides a landmark that this reading does not show, and that ended
 * below the keyboard's edge. Where the keyboard has pushed landmarks up, the edge is the highest of their new tops.
 *
 * `moved`: whether the keyboard was opened or closed between the readings; undefined where that is not known.
 */
export function withoutCovered(
  before: Shown,
  now: Shown,
  moved: boolean | undefined,
): [readonly Landmark[], readonly Landmark[]] {
  const least = Math.max(before.bottom, now.bottom) * KEYBOARD_SHARE;
  const higherBy = before.bottom - now.bottom;
  if (moved !== false && higherBy >= least && now.hasFocus) return [uncovered(before, now), now.landmarks];
  if (moved !== false && -higherBy >= least && before.hasFocus) return [before.landmarks, uncovered(now, before)];
  return [before.landmarks, now.landmarks];
}

/** Returns the landmarks of `closed`, a reading without a keyboard, that the keyboard does not hide in the other reading. */
function uncovered(closed: Shown, { landmarks: open, bottom }: Shown): Landmark[] {
  const shown = new Map(open.map((landmark) => [factsOf(landmark), landmark.bounds.y]));
  const endOf = ({ bounds: { y, height } }: Landmark): number => y + height;
  const movedUp = closed.landmarks.flatMap((landmark) => {
    const y = shown.get(factsOf(landmark));
    return y !== undefined && endOf(landmark) > bottom && y < landmark.bounds.y ? [y] : [];
  });
  const edge = Math.min(bottom, ...movedUp);
  return closed.landmarks.filter((landmark) => endOf(landmark) <= edge || shown.has(factsOf(landmark)));
}

function factsOf({ kind, words }: Landmark): string {
  return JSON.stringify([kind, words]);
}
