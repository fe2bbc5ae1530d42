import { ApiError } from '../../kit/errors.js';
import { wordOf } from '../../kit/wire-words.js';
import type { ActRequest } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import {
  DirectionSchema,
  type Expect,
  type Step as StepMessage,
  type Swipe,
  type Target as TargetMessage,
} from '../../proto/gen/cloudphone/screen/v1/step_pb.js';
import type { Expectation } from '../act/settle.js';
import type { Step, StepAction, Target } from '../act/step.js';
import { DEFAULT_SWIPE_MS, type SwipeDirection } from '../input/gestures.js';
import { keyCode } from '../input/keys.js';
import type { Point } from '../tree/rectangle.js';

export interface StepsAsked {
  steps: Step[];
  /** To be checked against the screen's size before anything is done. */
  points: (Point & { field: string })[];
  /** Texts that must not show in the response. */
  secrets: string[];
}

/** The steps of a request: its one step, or the list. Throws bad_request for keys that do not exist. */
export function toSteps(request: ActRequest): StepsAsked {
  const asked: StepsAsked = { steps: [], points: [], secrets: [] };
  if (request.step.case !== undefined) {
    add(asked, request.step, request.expect, '');
  } else {
    request.steps.forEach((step, at) => {
      if (step.kind.case !== undefined) add(asked, step.kind, step.expect, `steps[${at}].`);
    });
  }
  return asked;
}

type Kind = Exclude<StepMessage['kind'], { case: undefined }>;

function add(asked: StepsAsked, kind: Kind, expect: Expect | undefined, prefix: string): void {
  asked.steps.push({ action: toAction(asked, kind, prefix), expect: toExpectation(expect) });
}

function toAction(asked: StepsAsked, kind: Kind, prefix: string): StepAction {
  switch (kind.case) {
    case 'tap':
      return { kind: 'tap', target: toTarget(asked, kind.value, `${prefix}tap`) };
    case 'longPress':
      return { kind: 'long_press', target: toTarget(asked, kind.value, `${prefix}long_press`) };
    case 'type': {
      const { text, element, clear = false, submit = false, secret = false } = kind.value;
      if (text === '' && !clear && !submit) {
        throw new ApiError('bad_request', `${prefix}type.text is missing: give a text, or clear or submit.`);
      }
      if (secret && text !== '') asked.secrets.push(text);
      return { kind: 'type', text, element, clear, submit, secret };
    }
    case 'swipe':
      return toSwipe(asked, kind.value, `${prefix}swipe`);
    case 'key':
      return { kind: 'key', code: keyCode(kind.value.name, `${prefix}key.name`) };
    case 'openApp':
      return { kind: 'open_app', app: kind.value.app };
    case 'wait':
      return { kind: 'wait' };
  }
}

function toTarget(asked: StepsAsked, { element, x = 0, y = 0 }: TargetMessage, field: string): Target {
  if (element !== undefined) return { element };
  asked.points.push({ x, y, field });
  return { x, y };
}

function toSwipe(asked: StepsAsked, swipe: Swipe, field: string): StepAction {
  const { from, to, durationMs = DEFAULT_SWIPE_MS, direction, element } = swipe;
  if (from !== undefined && to !== undefined) {
    for (const [name, { x, y }] of Object.entries({ from, to })) {
      if (x < 0 || y < 0) throw new ApiError('bad_request', `${field}.${name}: ${x}, ${y} is outside of the screen.`);
      asked.points.push({ x, y, field: `${field}.${name}` });
    }
    return { kind: 'swipe', from: { x: from.x, y: from.y }, to: { x: to.x, y: to.y }, durationMs };
  }
  const word = wordOf(DirectionSchema, direction ?? 0) as SwipeDirection;
  return { kind: 'scroll', direction: word, element, durationMs };
}

function toExpectation(expect: Expect | undefined): Expectation | undefined {
  const condition = expect?.condition;
  switch (condition?.case) {
    case 'text':
      return { text: condition.value };
    case 'gone':
      return { gone: condition.value };
    case 'app':
      return { app: condition.value };
    case undefined:
      return undefined;
  }
}
