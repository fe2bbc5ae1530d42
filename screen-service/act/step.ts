import { ApiError } from '../../kit/errors.js';
import type { SwipeDirection } from '../input/gestures.js';
import type { Point } from '../tree/rectangle.js';
import type { Expectation } from './expectation.js';
import type { ElementById, ElementByWords } from './find-target.js';

export type Target = ElementById | ElementByWords | Point;

/** Orientation in quarter turns counter-clockwise; auto: by the phone's sensor. */
export type Turn = 0 | 1 | 2 | 3 | 'auto';

/** One action, checked as far as possible without the phone. */
export type StepAction =
  | { kind: 'tap' | 'double_tap' | 'long_press'; target: Target }
  | { kind: 'type'; text: string; target: Target | undefined; clear: boolean; submit: boolean; secret: boolean }
  | { kind: 'swipe'; from: Point; to: Point; durationMs: number }
  | { kind: 'swipe_across'; direction: SwipeDirection; target: Target | undefined; durationMs: number }
  | { kind: 'drag'; from: Target; to: Target; holdMs: number }
  | { kind: 'pinch'; target: Target | undefined; scale: number }
  | { kind: 'scroll'; direction: SwipeDirection; target: Target | undefined; until: string | undefined }
  | { kind: 'key'; codes: number[]; holdMs: number }
  | { kind: 'open_app'; app: string }
  | { kind: 'open_url'; url: string }
  | { kind: 'clipboard'; set: string | undefined }
  | { kind: 'rotate'; to: Turn }
  | { kind: 'notifications' }
  | { kind: 'wait' };

export interface Step {
  action: StepAction;
  expect: Expectation | undefined;
}

/** A step failed after it had changed something: reported together with the screen that it led to. */
export class DoneInPart extends ApiError {}

/** Whether an element must be found for the action: a tree, where no picture shows that the elements are known. */
export function hasElementTarget(action: StepAction): boolean {
  const targets =
    action.kind === 'drag' ? [action.from, action.to] : 'target' in action && action.target ? [action.target] : [];
  return targets.some((target) => !('x' in target));
}
