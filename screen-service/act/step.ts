import type { Call } from '../../kit/call.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { readForeground } from '../app/foreground.js';
import { openApp } from '../app/open-app.js';
import { clearField } from '../input/clear-field.js';
import {
  keyCommand,
  longPressCommand,
  swipeAcross,
  swipeCommand,
  type SwipeDirection,
  tapCommand,
} from '../input/gestures.js';
import { ENTER } from '../input/keys.js';
import { sendCommand } from '../input/send-command.js';
import { typeText } from '../input/type-text.js';
import type { ScreenElement } from '../tree/elements.js';
import { tapPoint } from '../tree/find-again.js';
import { type Point, type Rectangle } from '../tree/rectangle.js';
import type { Expectation } from './settle.js';

export type Target = { element: string } | Point;

/** One thing to do, checked as far as it can be without the phone. */
export type StepAction =
  | { kind: 'tap'; target: Target }
  | { kind: 'long_press'; target: Target }
  | { kind: 'type'; text: string; element: string | undefined; clear: boolean; submit: boolean; secret: boolean }
  | { kind: 'swipe'; from: Point; to: Point; durationMs: number }
  | { kind: 'scroll'; direction: SwipeDirection; element: string | undefined; durationMs: number }
  | { kind: 'key'; code: number }
  | { kind: 'open_app'; app: string }
  | { kind: 'wait' };

export interface Step {
  action: StepAction;
  expect: Expectation | undefined;
}

/** The element that a step is about, if any. */
export function elementOf({ action }: Step): string | undefined {
  switch (action.kind) {
    case 'tap':
    case 'long_press':
      return 'element' in action.target ? action.target.element : undefined;
    case 'type':
    case 'scroll':
      return action.element;
    default:
      return undefined;
  }
}

/** An element found again on the current screen, and all others there. */
export interface Found {
  element: ScreenElement;
  elements: readonly ScreenElement[];
}

/** A field that is tapped takes the focus a moment later, ms. */
const FOCUS_MS = 150;

/** Shorter secrets are not remembered, characters: hiding each place where a digit shows would spoil later observations. */
const SECRET_MIN = 4;

/** Does one step. `found` is there when the step is about an element. */
export async function performStep(
  call: Call,
  session: PhoneSession,
  action: StepAction,
  found: Found | undefined,
): Promise<void> {
  const send = (command: string, doing: string): Promise<string> => sendCommand(call, session, command, doing);
  switch (action.kind) {
    case 'tap':
      await send(tapCommand(pointOf(action.target, found)), 'tap');
      return;
    case 'long_press':
      await send(longPressCommand(pointOf(action.target, found)), 'press');
      return;
    case 'type':
      if (found !== undefined && !found.element.states.includes('focused')) {
        await send(tapCommand(tapPoint(found.element, found.elements)), 'tap the field');
        await session.clock.sleep(FOCUS_MS, call.signal);
      }
      if (action.secret && action.text.length >= SECRET_MIN) {
        session.secrets.set(action.text, (await readForeground(call, session)).app);
      }
      if (action.clear) await clearField(call, session);
      if (action.text !== '') await typeText(call, session, action.text);
      if (action.submit) await send(keyCommand(ENTER), 'press enter');
      return;
    case 'swipe':
      await send(swipeCommand(action.from, action.to, action.durationMs), 'swipe');
      return;
    case 'scroll': {
      const { from, to } = swipeAcross(found?.element.bounds ?? (await wholeScreen(call, session)), action.direction);
      await send(swipeCommand(from, to, action.durationMs), 'swipe');
      return;
    }
    case 'key':
      await send(keyCommand(action.code), 'press a key');
      return;
    case 'open_app':
      await openApp(call, session, action.app);
      return;
    case 'wait':
      return;
  }
}

function pointOf(target: Target, found: Found | undefined): Point {
  if (!('element' in target)) return target;
  if (found === undefined) throw new Error('a step about an element needs the element');
  return tapPoint(found.element, found.elements);
}

async function wholeScreen(call: Call, session: PhoneSession): Promise<Rectangle> {
  const { pixels } = await session.captures.next(call);
  return { x: 0, y: 0, width: pixels.width, height: pixels.height };
}
