import { NO_FOREGROUND } from '../../phone/screen/windows.js';
import { isTreeOf } from '../display/foreground.js';
import type { Frame } from '../capture/captures.js';
import type { ScreenState } from '../observe/observation.js';
import type { ObservedPhone } from '../observe/observed-phone.js';

/** Returns a state with the latest picture, for when no picture arrived after the last step. Undefined when there is no picture. */
export function lateState(frame: Frame | undefined): ScreenState | undefined {
  return frame && { frame, dump: undefined, front: NO_FOREGROUND, consistent: false, isLate: true };
}

/** An earlier tree may be at most this old, ms. */
const LAST_TREE_MS = 60_000;

/**
 * Adds the tree that was read last to a state whose own tree was not read in time. The tree is not added when it is too old, or known to
 * be of another app than the one in front.
 */
export function withLastTree(
  { clock, trees: { latest } }: ObservedPhone,
  state: ScreenState | undefined,
): ScreenState | undefined {
  if (state === undefined || state.dump?.tree !== undefined || latest?.tree === undefined) return state;
  const dumpAgeMs = Math.round(clock.monotonicMs() - latest.endedMs);
  if (dumpAgeMs > LAST_TREE_MS || !isTreeOf(latest.tree, state.front)) return state;
  return { ...state, dump: latest, consistent: false, dumpAgeMs };
}
