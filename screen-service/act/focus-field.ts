import type { Call } from '../../kit/call/call.js';
import { tapCommand } from '../input/command/gestures.js';
import { sendCommand } from '../input/command/send-command.js';
import { readServedView, type ServedView } from '../input/served-view.js';
import { contentOf } from '../observe/observe.js';
import { readScreenOnce } from '../observe/read-screen.js';
import type { ObservedPhone } from '../observe/observed-phone.js';
import type { ScreenElement } from '../tree/elements.js';
import { findAlike } from '../tree/find-alike.js';
import { tapPoint } from '../tree/tap-point.js';
import { centerOf, contains, type Point } from '../shapes/rectangle.js';
import { type Found } from './find-target.js';
import { notePress, press, sendUnlessMoved } from './press.js';
import { DoneInPart, type Target } from './step.js';
import type { StepContext } from './step-context.js';

/** The focus is checked this often, ms. */
const CHECK_EVERY_MS = 50;

/** The tree is read if the keyboard has got no new view after this time, ms. The field may have had the focus before the tap. */
const NO_SIGN_MS = 500;

/**
 * Taps the field, unless it has the focus. Returns once typed text goes to that field or to a field that the tap opened. A search box often
 * opens a page with a field of its own. A secret for a text field goes to no other field. Throws bad_request when no such field gets the
 * focus in time.
 *
 * In most cases, the view that the keyboard is connected to shows which field has the focus. The tree is read when the tap has brought up
 * no new view, or a view with the id of another field. For a secret, the tree is also read when the view cannot be identified by its id.
 *
 * Games and remote desktops take keys although their tree has no text field. After the time limit, the function returns there too, except
 * for a secret or a target that is a text field.
 *
 * Returns true if the target is known to be a text field that shows its text, and false otherwise.
 */
export async function focusField(
  call: Call,
  phoneSession: ObservedPhone,
  target: Target,
  context: StepContext,
  secret: boolean,
): Promise<boolean> {
  const tapped = await tapUnlessFocused(call, phoneSession, target, context);
  if (!tapped.wasFocused) await awaitFocus(call, phoneSession, tapped, secret);
  return tapped.field !== undefined && !tapped.field.states.includes('password');
}

async function awaitFocus(call: Call, phoneSession: ObservedPhone, tapped: Tapped, secret: boolean): Promise<void> {
  const { clock, limits } = phoneSession;
  const { before, found, point, field, name, isField } = tapped;
  const tappedMs = clock.monotonicMs();
  for (;;) {
    const view = await readServedView(call, phoneSession);
    if (isField(view)) return;
    const isNew = view !== undefined && view.identity !== before?.identity;
    const isOther = name !== '' && view?.name !== '' && view?.name !== name;
    if (isNew && !isOther && !secret) return;
    const waitedMs = clock.monotonicMs() - tappedMs;
    if (isNew || waitedMs >= NO_SIGN_MS) {
      const mayBeLed = isNew && found !== undefined && !(secret && field !== undefined);
      const focus = focusOf(await readFields(call, phoneSession), found, { point, mayBeLed });
      if (focus === 'there') return;
      if (waitedMs >= limits.focusMs) {
        if (focus === 'no_fields' && field === undefined && !secret) return;
        throw new DoneInPart(
          'bad_request',
          `type: the tap at ${point.x}, ${point.y} did not give the focus to ${field ? 'that field' : 'a text field there'}, so nothing ` +
            'was typed. Observe, and name the text field itself; without a target, text goes to the focused field.',
        );
      }
    }
    await clock.sleep(CHECK_EVERY_MS, call.signal);
  }
}

interface Tapped extends Sought {
  found: Found | undefined;
  /** The view that the keyboard was connected to before the tap. Undefined: none, or not known. */
  before: ServedView | undefined;
  point: Point;
  /** Whether the target is a field that had the focus already, and was not tapped. */
  wasFocused: boolean;
}

/** Taps the target, unless it is a field that has the focus. */
async function tapUnlessFocused(
  call: Call,
  phoneSession: ObservedPhone,
  target: Target,
  context: StepContext,
): Promise<Tapped> {
  if ('x' in target) {
    const before = await readServedView(call, phoneSession);
    await sendCommand(call, phoneSession, tapCommand(target), 'tap the field');
    notePress(target, target, context);
    return { ...soughtOf(undefined), found: undefined, before, point: target, wasFocused: false };
  }
  const seen: { before: ServedView | undefined; isFocused: boolean } = { before: undefined, isFocused: false };
  const found = await press(call, phoneSession, target, { ...context, forField: true }, async (one, at) => {
    seen.before = await readServedView(call, phoneSession);
    seen.isFocused = await hasFocus(call, phoneSession, one, seen.before);
    return seen.isFocused || sendUnlessMoved(call, phoneSession, one, tapCommand(at), 'tap the field');
  });
  const point = tapPoint(found.element, found.elements);
  return { ...soughtOf(found), found, before: seen.before, point, wasFocused: seen.isFocused };
}

/** The field that text is for. */
interface Sought {
  /** The text field. Undefined: the target is a point, or an element that is no text field. */
  field: ScreenElement | undefined;
  /** The last part of the field's resource id. Empty: there is no field, or it has no id. */
  name: string;
  /** Returns whether a view has the name of this field. Returns false also where another element has the same name. */
  isField: (view: ServedView | undefined) => boolean;
}

function soughtOf(found: Found | undefined): Sought {
  const field = found?.element.role === 'textfield' ? found.element : undefined;
  const name = nameOf(field);
  const isAlone = name !== '' && found?.elements.filter((one) => nameOf(one) === name).length === 1;
  return { field, name, isField: (view) => isAlone && view?.name === name };
}

async function hasFocus(
  call: Call,
  phoneSession: ObservedPhone,
  found: Found,
  view: ServedView | undefined,
): Promise<boolean> {
  const { field, isField } = soughtOf(found);
  if (isField(view)) return true;
  if (field?.states.includes('focused') !== true) return false;
  return found.fresh || focusOf(await readFields(call, phoneSession), found) === 'there';
}

interface Fields {
  elements: readonly ScreenElement[];
  width: number;
  height: number;
}

/** The elements on the screen; none where the tree cannot be read. */
async function readFields(call: Call, phoneSession: ObservedPhone): Promise<Fields> {
  const { frame, dump } = await readScreenOnce(call, phoneSession);
  const { width, height } = frame.pixels;
  return {
    elements: dump.tree === undefined ? [] : contentOf(dump.tree, frame.pixels, phoneSession).elements,
    width,
    height,
  };
}

/**
 * Returns `there` when the target has the focus. `tapped` is the point of the tap, and whether the tap may have led to another field, as on
 * a search page. Such a field then counts too, unless the target is a text field that is still on the screen.
 */
function focusOf(
  now: Fields,
  found: Found | undefined,
  tapped?: { point: Point; mayBeLed: boolean },
): 'there' | 'elsewhere' | 'no_fields' {
  const fields = now.elements.filter(({ role }) => role === 'textfield');
  if (fields.length === 0) return 'no_fields';
  const focused = fields.find(({ states }) => states.includes('focused'));
  if (focused === undefined) return 'elsewhere';
  const target = found && findAlike(found.element, found.elements, now.elements, now);
  if (target?.role === 'textfield') return target === focused ? 'there' : 'elsewhere';
  const isAt = target
    ? contains(target.bounds, centerOf(focused.bounds))
    : tapped !== undefined && contains(focused.bounds, tapped.point);
  return isAt || tapped?.mayBeLed === true ? 'there' : 'elsewhere';
}

function nameOf(element: ScreenElement | undefined): string {
  const id = element?.resourceId ?? '';
  return id.slice(id.lastIndexOf('/') + 1);
}
