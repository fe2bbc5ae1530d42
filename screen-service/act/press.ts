import type { Call } from '../../kit/call/call.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { READ_KEYBOARD } from '../display/foreground.js';
import { sendCommand } from '../input/command/send-command.js';
import type { ObservedPhone } from '../observe/observed-phone.js';
import { elementLine } from '../tree/element-line.js';
import type { ScreenElement } from '../tree/elements.js';
import type { Point } from '../shapes/rectangle.js';
import { childrenPressed, elementAt, tapPoint } from '../tree/tap-point.js';
import { elementSeen, findPressed, type Found } from './find-target.js';
import type { Target } from './step.js';
import type { StepContext } from './step-context.js';

/** Most tries of a touch while the keyboard keeps coming and going. */
const MAX_TRIES = 3;

/** Most children that a refusal lists. */
const MAX_LISTED = 10;

/** What a command prints when it sends no touch because the keyboard has come or gone. */
const KEYBOARD_MOVED = 'keyboard-moved';

/**
 * Presses a target. `send` touches the screen where the target was found. It returns false when the keyboard has come or gone since. The
 * touch would then hit a key, or an element that has moved there, so the target is searched again. Throws bad_request for a container that
 * has no action of its own: whatever lies in its middle would be pressed.
 */
export async function press(
  call: Call,
  phoneSession: ObservedPhone,
  target: Exclude<Target, Point>,
  context: StepContext,
  send: (found: Found, point: Point) => Promise<boolean>,
): Promise<Found> {
  let now = context;
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const found = await findPressable(call, phoneSession, target, now);
    const point = tapPoint(found.element, found.elements);
    if (await send(found, point)) {
      notePress(target, point, context);
      return found;
    }
    // The picture and the app in front were read before the keyboard moved.
    now = { ...context, before: undefined, front: undefined };
  }
  throw new ApiError('not_found', 'The keyboard came or went each time before the touch could be sent. Observe again.');
}

/** Presses a target by a command of the phone's shell. `doing` completes "the phone did not …". */
export async function pressByCommand(
  call: Call,
  phoneSession: ObservedPhone,
  target: Target,
  context: StepContext,
  { commandAt, doing }: { commandAt: (point: Point) => string; doing: string },
): Promise<void> {
  if ('x' in target) {
    await sendCommand(call, phoneSession, commandAt(target), doing);
    notePress(target, target, context);
    return;
  }
  await press(call, phoneSession, target, context, (found, point) =>
    sendUnlessMoved(call, phoneSession, found, commandAt(point), doing),
  );
}

/**
 * Sends a command unless the keyboard has come or gone. The phone itself checks the keyboard, right before the command. Returns whether the
 * command was sent.
 */
export async function sendUnlessMoved(
  call: Call,
  phoneSession: ObservedPhone,
  found: Found,
  command: string,
  doing: string,
): Promise<boolean> {
  if (!mayMeetKeyboard(found)) {
    await sendCommand(call, phoneSession, command, doing);
    return true;
  }
  const other = found.isKeyboardShown === true ? 'false' : 'true';
  const guarded = `if ${READ_KEYBOARD} | grep -q mInputShown=${other}; then echo ${KEYBOARD_MOVED}; else ${command}; fi`;
  return !(await sendCommand(call, phoneSession, guarded, doing, KEYBOARD_MOVED)).includes(KEYBOARD_MOVED);
}

/** Returns whether the keyboard has come or gone since the element was found. It serves touches that are not sent by a command. */
export async function hasKeyboardMoved(call: Call, phoneSession: ObservedPhone, found: Found): Promise<boolean> {
  if (!mayMeetKeyboard(found)) return false;
  const { stdout } = await phoneSession.command(call, READ_KEYBOARD, 'report whether the keyboard shows');
  return stdout.includes(`mInputShown=${found.isKeyboardShown === true ? 'false' : 'true'}`);
}

/** Returns whether a press may meet a keyboard: one that is shown, or one that comes for a text field on the screen. */
function mayMeetKeyboard({ elements, isKeyboardShown }: Found): boolean {
  if (isKeyboardShown === undefined) return false;
  return isKeyboardShown || elements.some(({ states }) => states.includes('editable'));
}

/** Notes which element of the caller's latest observation a touch has pressed. */
export function notePress(target: Target, point: Point, { lastObservation, progress }: StepContext): void {
  const seen = lastObservation.latest()?.content.elements ?? [];
  const element = 'element' in target ? seen.find(({ id }) => id === target.element) : elementAt(point, seen);
  if (element !== undefined) progress.done.pressed.push(element);
}

/**
 * A list may go on by itself after the finger has left it. For a finger below `SLOW_DP_S`, dp per second, the distance has a known bound.
 * The list then goes on at the speed of the finger for at most `GOES_ON_MS`.
 */
const SLOW_DP_S = 300;
const GOES_ON_MS = 500;

/**
 * Notes a swipe across the screen: on a slider it sets a value, elsewhere it may move a list. `durationMs`: how long the finger moves.
 * Absent: the finger rests before it lets go.
 */
export function noteStroke(
  { phone }: ObservedPhone,
  { from, to, durationMs }: { from: Point; to: Point; durationMs?: number },
  { lastObservation, progress }: StepContext,
): void {
  const element = elementAt(from, lastObservation.latest()?.content.elements ?? []);
  if (element?.role === 'slider') {
    progress.done.pressed.push(element);
    return;
  }
  const longer = durationMs === undefined ? 1 : 1 + GOES_ON_MS / durationMs;
  const wayDp = (Math.hypot(to.x - from.x, to.y - from.y) * 160) / phone.screen.density;
  const isSlow = durationMs === undefined || (wayDp * 1_000) / durationMs <= SLOW_DP_S;
  progress.done.strokes.push(isSlow ? { x: (to.x - from.x) * longer, y: (to.y - from.y) * longer } : undefined);
}

/** Finds a target that takes a touch itself. */
async function findPressable(
  call: Call,
  phoneSession: ObservedPhone,
  target: Exclude<Target, Point>,
  context: StepContext,
): Promise<Found> {
  const { forField = false } = context;
  if ('element' in target) {
    const { seen, element } = elementSeen(phoneSession, target.element, context.lastObservation);
    refuseContainer(target.element, element, seen.content.elements, { lineOf: elementLine, forField });
    return findPressed(call, phoneSession, target, context);
  }
  const found = await findPressed(call, phoneSession, target, context);
  // The ids are left out: they are not those of the caller's observation.
  const lineOf = (element: ScreenElement): string => elementLine(element).slice(element.id.length + 1);
  refuseContainer(`${target.field}: ${JSON.stringify(target.text)}`, found.element, found.elements, {
    lineOf,
    forField,
  });
  return found;
}

function refuseContainer(
  name: string,
  element: ScreenElement,
  elements: readonly ScreenElement[],
  { lineOf, forField }: { lineOf: (element: ScreenElement) => string; forField: boolean },
): void {
  const children = childrenPressed(element, elements);
  const holdsField = forField && children.some(({ states }) => states.includes('editable'));
  if (children.length === 0 || holdsField) return;
  const lines = children.slice(0, MAX_LISTED).map(lineOf);
  if (children.length > lines.length) lines.push(`and ${children.length - lines.length} more`);
  throw new ApiError(
    'bad_request',
    `${name} is a ${element.role} that takes no tap itself: whatever lies in its middle would be pressed. Name one of its children: ` +
      `${lines.join('; ')}. Or give x and y.`,
  );
}
