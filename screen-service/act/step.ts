import { ApiError } from '../../kit/errors/api-error.js';
import type { Turn } from '../app/rotate.js';
import type { SwipeDirection } from '../input/command/gestures.js';
import type { Point } from '../shapes/rectangle.js';
import type { Expectation } from './expectation.js';
import type { ElementById, ElementByWords } from './find-target.js';

export type Target = ElementById | ElementByWords | Point;

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
  /** How long an element that is named by its words is waited for, ms. */
  waitMs: number;
}

/** The error of a step that failed after it had changed something. It is reported together with the screen that the step led to. */
export class DoneInPart extends ApiError {}

/**
 * Returns whether the action needs an element. Finding an element needs the tree, unless a picture shows that the known elements are still
 * right.
 */
export function hasElementTarget(action: StepAction): boolean {
  const targets =
    action.kind === 'drag' ? [action.from, action.to] : 'target' in action && action.target ? [action.target] : [];
  return targets.some((target) => !('x' in target));
}
