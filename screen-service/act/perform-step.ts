import type { Call } from '../../kit/call/call.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { readForeground } from '../display/foreground.js';
import { openApp } from '../app/open-app.js';
import { openUrl } from '../app/open-url.js';
import { rotate } from '../app/rotate.js';
import { readClipboard, setClipboard } from '../input/clipboard.js';
import { doubleTap, drag, pinch } from '../input/finger-paths.js';
import { holdCommand, keyCommand, longPressCommand, swipeCommand, tapCommand } from '../input/command/gestures.js';
import { ENTER, SCROLLING_KEYS } from '../input/command/keys.js';
import { sendCommand } from '../input/command/send-command.js';
import { sendInput } from '../input/send-input.js';
import { typeText } from '../input/type-text.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { HIDDEN, hideSecretText } from '../secrets/hide-secrets.js';
import { tapPoint } from '../tree/tap-point.js';
import { type Point, type Rectangle } from '../shapes/rectangle.js';
import { findPressed, findTarget, type Found } from './find-target.js';
import { focusField } from './focus-field.js';
import { hasKeyboardMoved, notePress, noteStroke, press, pressByCommand } from './press.js';
import { scroll, swipeAcross } from './scroll.js';
import type { StepAction, Target } from './step.js';
import type { StepContext, StepResult } from './step-context.js';

/** The least distance of a pinch's center from each edge, as a share of the screen's shorter side. */
const NEAREST_EDGE_SHARE = 0.05;

/** Performs one step. What was done is noted in `context.progress`, even if the step fails. */
export async function performStep(
  call: Call,
  phoneSession: PhoneSession,
  action: StepAction,
  context: StepContext,
): Promise<StepResult> {
  const send = (command: string, doing: string): Promise<string> => sendCommand(call, phoneSession, command, doing);
  switch (action.kind) {
    case 'tap':
      await pressByCommand(call, phoneSession, action.target, context, { commandAt: tapCommand, doing: 'tap' });
      break;
    case 'double_tap':
      await doubleTapOn(call, phoneSession, action.target, context);
      break;
    case 'long_press':
      await pressByCommand(call, phoneSession, action.target, context, { commandAt: longPressCommand, doing: 'press' });
      break;
    case 'type':
      return typeInto(call, phoneSession, action, context);
    case 'swipe':
      noteStroke(phoneSession, action, context);
      await send(swipeCommand(action.from, action.to, action.durationMs), 'swipe');
      break;
    case 'swipe_across':
      await swipeAcross(call, phoneSession, action, context);
      break;
    case 'drag':
      await dragBetween(call, phoneSession, action, context);
      break;
    case 'pinch': {
      context.progress.done.strokes.push(undefined);
      const area = await areaOf(call, phoneSession, action.target, context);
      for (const events of pinch(area, action.scale)) await sendInput(call, phoneSession, events, call.requestId);
      break;
    }
    case 'scroll':
      return scroll(call, phoneSession, action, context);
    case 'key':
      if (action.codes.some((code) => SCROLLING_KEYS.has(code))) context.progress.done.strokes.push(undefined);
      await send(holdCommand(action.codes, action.holdMs), 'press a key');
      break;
    case 'open_app':
      return { openedApp: (await openApp(call, phoneSession, action.app)).package };
    case 'open_url':
      await openUrl(call, phoneSession, action.url);
      break;
    case 'clipboard':
      if (action.set === undefined) {
        const text = await readClipboard(call, phoneSession);
        return { clipboard: hideSecretText(text, phoneSession.secrets.allWith(context.secrets)) };
      }
      await setClipboard(call, phoneSession, action.set);
      break;
    case 'rotate':
      await rotate(call, phoneSession, action.to);
      break;
    case 'notifications':
      await send('cmd statusbar expand-notifications', 'open the notification shade');
      break;
    case 'wait':
      break;
  }
  return {};
}

async function typeInto(
  call: Call,
  phoneSession: PhoneSession,
  { text, target, clear, submit, secret }: StepAction & { kind: 'type' },
  context: StepContext,
): Promise<StepResult> {
  const shows = target !== undefined && (await focusField(call, phoneSession, target, context, secret));
  if (secret) phoneSession.secrets.remember(text, (await readForeground(call, phoneSession)).app);
  context.progress.done.typed.push(secret ? HIDDEN : text);
  await typeText(call, phoneSession, text, { clear, field: 'type.text' });
  if (submit) await sendCommand(call, phoneSession, keyCommand(ENTER), 'press enter');
  return shows ? { shownText: text } : {};
}

async function doubleTapOn(
  call: Call,
  phoneSession: PhoneSession,
  target: Target,
  context: StepContext,
): Promise<void> {
  const tapTwice = (point: Point): Promise<number> => sendInput(call, phoneSession, doubleTap(point), call.requestId);
  if ('x' in target) {
    notePress(target, target, context);
    await tapTwice(target);
    return;
  }
  await press(call, phoneSession, target, context, async (found, point) => {
    if (await hasKeyboardMoved(call, phoneSession, found)) return false;
    await tapTwice(point);
    return true;
  });
}

/** Drags from one target to another. The end need not be an element that can be pressed: the finger only moves to it. */
async function dragBetween(
  call: Call,
  phoneSession: PhoneSession,
  { from, to, holdMs }: StepAction & { kind: 'drag' },
  context: StepContext,
): Promise<void> {
  const pointOf = async (target: Target, find: typeof findTarget, now: StepContext): Promise<DragPoint> => {
    if ('x' in target) return { point: target };
    const found = await find(call, phoneSession, target, now);
    return { point: tapPoint(found.element, found.elements), found };
  };
  // The end may be waited for, and the screen may change meanwhile. So the start, which the finger presses, is located last.
  let end = await pointOf(to, findTarget, context);
  const later = end.found === undefined ? context : { ...context, before: undefined, front: undefined };
  const start = await pointOf(from, findPressed, later);
  if (!isStillThere(end, start)) end = await pointOf(to, findTarget, later);
  const { found } = start.found === undefined ? end : start;
  if (found !== undefined && (await hasKeyboardMoved(call, phoneSession, found)))
    throw new ApiError('not_found', 'drag: the keyboard came or went before the touch. Observe again.');
  noteStroke(phoneSession, { from: start.point, to: end.point }, context);
  await sendInput(call, phoneSession, drag(start.point, end.point, { holdMs }), call.requestId);
}

/** An end of a drag. */
interface DragPoint {
  point: Point;
  /** Undefined: the point was given as such. */
  found?: Found;
}

/** Whether a target is where it was found, as far as the later reading of another target shows. */
function isStillThere({ found: earlier }: DragPoint, { found: later }: DragPoint): boolean {
  if (earlier === undefined || later === undefined || !later.fresh) return true;
  const { text, label, bounds } = earlier.element;
  return later.elements.some(
    (now) => now.text === text && now.label === label && now.bounds.x === bounds.x && now.bounds.y === bounds.y,
  );
}

/**
 * Returns the area of a pinch. It is the element's bounds, or the largest square around a point. Without a target it is the middle of the
 * screen, away from the bars at its edges.
 */
async function areaOf(
  call: Call,
  phoneSession: PhoneSession,
  target: Target | undefined,
  context: StepContext,
): Promise<Rectangle> {
  if (target !== undefined && !('x' in target))
    return (await findTarget(call, phoneSession, target, context)).element.bounds;
  const { pixels } = await phoneSession.captures.next(call);
  if (target === undefined) return middleOf(pixels);
  const reach = Math.min(target.x, target.y, pixels.width - target.x, pixels.height - target.y);
  if (reach < Math.min(pixels.width, pixels.height) * NEAREST_EDGE_SHARE) {
    throw new ApiError(
      'bad_request',
      `pinch.center: ${target.x}, ${target.y} is too near to the edge of the screen for two fingers. Choose a point farther inside.`,
    );
  }
  return { x: target.x - reach, y: target.y - reach, width: reach * 2, height: reach * 2 };
}

function middleOf({ width, height }: { width: number; height: number }): Rectangle {
  return { x: width / 4, y: height / 4, width: width / 2, height: height / 2 };
}
