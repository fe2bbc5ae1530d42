import type { Call } from '../../kit/call.js';
import { ApiError } from '../../kit/errors.js';
import { readForeground } from '../app/foreground.js';
import { openApp } from '../app/open-app.js';
import { openUrl } from '../app/open-url.js';
import { rotate } from '../app/rotate.js';
import { readClipboard, setClipboard } from '../input/clipboard.js';
import { doubleTap, drag, pinch } from '../input/finger-paths.js';
import { holdCommand, keyCommand, longPressCommand, swipeCommand, tapCommand } from '../input/gestures.js';
import { ENTER } from '../input/keys.js';
import { sendCommand } from '../input/send-command.js';
import { sendInput } from '../input/send-input.js';
import { typeText } from '../input/type-text.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import { tapPoint } from '../tree/tap-point.js';
import { type Point, type Rectangle } from '../tree/rectangle.js';
import { findTarget } from './find-target.js';
import { focusField } from './focus-field.js';
import { scroll, swipeAcross } from './scroll.js';
import type { StepAction, Target } from './step.js';
import type { StepContext } from './step-context.js';

/** Shorter secrets are not remembered, characters: hiding every digit that equals one would spoil later observations. */
const SECRET_MIN = 4;

/** A pinch needs room on all sides of its center: this share of the screen's shorter side. */
const NEAREST_EDGE_SHARE = 0.05;

/** Performs one step. Returns the text of the clipboard when the step reads it. */
export async function performStep(
  call: Call,
  kept: KeptPhone,
  action: StepAction,
  context: StepContext,
): Promise<string | undefined> {
  const send = (command: string, doing: string): Promise<string> => sendCommand(call, kept, command, doing);
  const pointOf = (target: Target): Promise<Point> => findPoint(call, kept, target, context);
  switch (action.kind) {
    case 'tap':
      await send(tapCommand(await pointOf(action.target)), 'tap');
      return;
    case 'double_tap':
      await sendInput(call, kept, doubleTap(await pointOf(action.target)), call.requestId);
      return;
    case 'long_press':
      await send(longPressCommand(await pointOf(action.target)), 'press');
      return;
    case 'type':
      await typeInto(call, kept, action, context);
      return;
    case 'swipe':
      await send(swipeCommand(action.from, action.to, action.durationMs), 'swipe');
      return;
    case 'swipe_across':
      await swipeAcross(call, kept, action, context);
      return;
    case 'drag': {
      const [from, to] = [await pointOf(action.from), await pointOf(action.to)];
      await sendInput(call, kept, drag(from, to, { holdMs: action.holdMs }), call.requestId);
      return;
    }
    case 'pinch': {
      const area = await areaOf(call, kept, action.target, context);
      for (const events of pinch(area, action.scale)) await sendInput(call, kept, events, call.requestId);
      return;
    }
    case 'scroll':
      await scroll(call, kept, action, context);
      return;
    case 'key':
      await send(holdCommand(action.codes, action.holdMs), 'press a key');
      return;
    case 'open_app':
      await openApp(call, kept, action.app);
      return;
    case 'open_url':
      await openUrl(call, kept, action.url);
      return;
    case 'clipboard':
      if (action.set === undefined) return readClipboard(call, kept);
      await setClipboard(call, kept, action.set);
      return;
    case 'rotate':
      await rotate(call, kept, action.to);
      return;
    case 'notifications':
      await send('cmd statusbar expand-notifications', 'open the notification shade');
      return;
    case 'wait':
      return;
  }
}

async function typeInto(
  call: Call,
  kept: KeptPhone,
  { text, target, clear, submit, secret }: StepAction & { kind: 'type' },
  context: StepContext,
): Promise<void> {
  if (target !== undefined) {
    const focusing = { ...context, secret };
    await focusField(call, kept, target, focusing);
    context.showsText = focusing.showsText === true;
  }
  if (secret && text.length >= SECRET_MIN) kept.secrets.set(text, (await readForeground(call, kept)).app);
  await typeText(call, kept, text, { clear, field: 'type.text' });
  if (submit) await sendCommand(call, kept, keyCommand(ENTER), 'press enter');
}

async function findPoint(call: Call, kept: KeptPhone, target: Target, context: StepContext): Promise<Point> {
  if ('x' in target) return target;
  const { element, elements } = await findTarget(call, kept, target, context);
  return tapPoint(element, elements);
}

/** The place of an element, the one around a point, or the middle of the screen, off the bars at its edges. */
async function areaOf(
  call: Call,
  kept: KeptPhone,
  target: Target | undefined,
  context: StepContext,
): Promise<Rectangle> {
  if (target !== undefined && !('x' in target)) return (await findTarget(call, kept, target, context)).element.bounds;
  const { pixels } = await kept.captures.next(call);
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
