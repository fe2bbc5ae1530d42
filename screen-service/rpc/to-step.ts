import { ApiError } from '../../kit/errors/api-error.js';
import { wordOf } from '../../kit/text/wire-words.js';
import type { ActRequest } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import {
  DirectionSchema,
  type Expect,
  ExpectedStateSchema,
  Orientation,
  type PressKey,
  type Step as StepMessage,
  type Swipe,
  type Target as TargetMessage,
} from '../../proto/gen/cloudphone/screen/v1/step_pb.js';
import type { Expectation, StateWord } from '../act/expectation.js';
import type { Step, StepAction, Target } from '../act/step.js';
import type { Turn } from '../app/rotate.js';
import { DEFAULT_SWIPE_MS, type SwipeDirection } from '../input/command/gestures.js';
import { keyCode } from '../input/command/keys.js';
import type { Point } from '../shapes/rectangle.js';
import type { Role } from '../tree/role.js';

/** How long a drag holds the finger still before it moves, by default, ms. Apps take that for a long press. */
const DEFAULT_HOLD_MS = 700;

/** How long a step waits for its element by default, s. The step before may have opened the next page of a form. */
const DEFAULT_WAIT_S = 2;

export interface RequestedSteps {
  steps: Step[];
  /** The points to check against the screen's size before anything is done. */
  points: (Point & { field: string })[];
  /** Texts that must not show in the response. */
  secrets: string[];
}

/**
 * Returns the steps of a request: its one step, or its list. Throws bad_request for unknown keys, negative coordinates, and a `type` step
 * without effect.
 */
export function toSteps(request: ActRequest): RequestedSteps {
  const requested: RequestedSteps = { steps: [], points: [], secrets: [] };
  if (request.step.case !== undefined) {
    add(requested, request.step, request, '');
  } else {
    request.steps.forEach((step, at) => {
      if (step.kind.case !== undefined) add(requested, step.kind, step, `steps[${at}].`);
    });
  }
  return requested;
}

type Kind = Exclude<StepMessage['kind'], { case: undefined }>;

function add(
  requested: RequestedSteps,
  kind: Kind,
  { expect, waitS = DEFAULT_WAIT_S }: { expect?: Expect | undefined; waitS?: number | undefined },
  prefix: string,
): void {
  const action = toAction(requested, kind, prefix);
  requested.steps.push({ action, expect: toExpectation(expect), waitMs: waitS * 1_000 });
}

function toAction(requested: RequestedSteps, kind: Kind, prefix: string): StepAction {
  switch (kind.case) {
    case 'tap':
      return { kind: 'tap', target: toTarget(requested, kind.value, `${prefix}tap`) };
    case 'doubleTap':
      return { kind: 'double_tap', target: toTarget(requested, kind.value, `${prefix}double_tap`) };
    case 'longPress':
      return { kind: 'long_press', target: toTarget(requested, kind.value, `${prefix}long_press`) };
    case 'type': {
      const { text, clear = false, submit = false, secret = false } = kind.value;
      if (text === '' && !clear && !submit) {
        throw new ApiError('bad_request', `${prefix}type.text is missing: give a text, or clear or submit.`);
      }
      if (secret && text !== '') requested.secrets.push(text);
      return { kind: 'type', text, target: targetIn(requested, kind.value, `${prefix}type`), clear, submit, secret };
    }
    case 'swipe':
      return toSwipe(requested, kind.value, `${prefix}swipe`);
    case 'drag': {
      const { from, to, holdMs = DEFAULT_HOLD_MS } = kind.value;
      if (from === undefined || to === undefined) throw new Error('a drag without both ends passed the validation');
      return {
        kind: 'drag',
        from: toTarget(requested, from, `${prefix}drag.from`),
        to: toTarget(requested, to, `${prefix}drag.to`),
        holdMs,
      };
    }
    case 'pinch': {
      const { scale, center } = kind.value;
      const target =
        center === undefined
          ? targetIn(requested, kind.value, `${prefix}pinch`)
          : toPoint(requested, center, `${prefix}pinch.center`);
      return { kind: 'pinch', target, scale };
    }
    case 'scroll': {
      const { direction, until } = kind.value;
      const target = targetIn(requested, kind.value, `${prefix}scroll`);
      return { kind: 'scroll', direction: directionWord(direction), target, until: until?.text };
    }
    case 'key':
      return toKey(kind.value, `${prefix}key`);
    case 'openApp':
      return { kind: 'open_app', app: kind.value.app };
    case 'openUrl':
      return { kind: 'open_url', url: kind.value.url };
    case 'clipboard':
      return { kind: 'clipboard', set: kind.value.set };
    case 'rotate':
      return { kind: 'rotate', to: turns[kind.value.to] ?? 'auto' };
    case 'notifications':
      return { kind: 'notifications' };
    case 'wait':
      return { kind: 'wait' };
  }
}

const turns: Partial<Record<Orientation, Turn>> = {
  [Orientation.PORTRAIT]: 0,
  [Orientation.LANDSCAPE]: 1,
  [Orientation.REVERSE_PORTRAIT]: 2,
  [Orientation.REVERSE_LANDSCAPE]: 3,
};

function toTarget(
  requested: RequestedSteps,
  { element, x = 0, y = 0, text, role }: TargetMessage,
  field: string,
): Target {
  if (element !== undefined) return { element: elementId(element) };
  // Validation has checked the name of the role.
  if (text !== undefined) return { text, role: role as Role | undefined, field };
  return toPoint(requested, { x, y }, field);
}

/** Returns the target of a step whose target is optional. Requests name it by `element` (short form) or `target` (long form). */
function targetIn(
  requested: RequestedSteps,
  { element, target }: { element?: string | undefined; target?: TargetMessage | undefined },
  field: string,
): Target | undefined {
  if (element !== undefined) return { element: elementId(element) };
  return target && toTarget(requested, target, `${field}.target`);
}

/** Returns the whole id. Marks in pictures show only its number, so callers may send that number alone. */
function elementId(id: string): string {
  return /^\d+$/.test(id) ? `e${id}` : id;
}

function toPoint(requested: RequestedSteps, { x, y }: Point, field: string): Point {
  if (x < 0 || y < 0) throw new ApiError('bad_request', `${field}: ${x}, ${y} is outside of the screen.`);
  requested.points.push({ x, y, field });
  return { x, y };
}

function toSwipe(requested: RequestedSteps, swipe: Swipe, field: string): StepAction {
  const { from, to, durationMs = DEFAULT_SWIPE_MS, direction } = swipe;
  if (from !== undefined && to !== undefined) {
    const [start, end] = [toPoint(requested, from, `${field}.from`), toPoint(requested, to, `${field}.to`)];
    return { kind: 'swipe', from: start, to: end, durationMs };
  }
  const target = targetIn(requested, swipe, field);
  return { kind: 'swipe_across', direction: directionWord(direction ?? 0), target, durationMs };
}

function directionWord(direction: number): SwipeDirection {
  return wordOf(DirectionSchema, direction) as SwipeDirection;
}

function toKey({ name, names, holdMs = 0 }: PressKey, field: string): StepAction {
  const codes =
    name === undefined
      ? names.map((one, at) => keyCode(one, `${field}.names[${at}]`))
      : [keyCode(name, `${field}.name`)];
  return { kind: 'key', codes, holdMs };
}

function toExpectation(expect: Expect | undefined): Expectation | undefined {
  const condition = expect?.condition;
  const state = expect?.state === undefined ? undefined : (wordOf(ExpectedStateSchema, expect.state) as StateWord);
  switch (condition?.case) {
    case 'text':
      return { text: condition.value, role: expect?.role as Role | undefined, state };
    case 'gone':
      return { gone: condition.value };
    case 'app':
      return { app: condition.value };
    case 'element':
      return { element: elementId(condition.value), state };
    case undefined:
      return undefined;
  }
}
