import type { Call } from '../../kit/call.js';
import { tapCommand } from '../input/gestures.js';
import { sendCommand } from '../input/send-command.js';
import { readServedView, type ServedView } from '../input/served-view.js';
import type { Sight } from '../observe/latest-observations.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { elementsOf, type ScreenElement } from '../tree/elements.js';
import { findAgain, tapPoint } from '../tree/find-again.js';
import { centerOf, contains, type Point } from '../tree/rectangle.js';
import { findTarget, type Found } from './find-target.js';
import { DoneInPart, type Target } from './step.js';

/** How often the focus is looked at, ms. */
const LOOK_EVERY_MS = 50;

/** When no field has newly got the focus by then, the tree is read: the field may have had it before the tap, ms. */
const NO_SIGN_MS = 500;

/**
 * Taps the field, unless it has the focus, and returns once text that is typed goes to it, or to a field that the tap led to: a search
 * box often opens a page with a field of its own. A secret for a text field goes to no other. Throws bad_request when it does not come
 * to that.
 *
 * The view that the keyboard is connected to shows it in most cases. The tree decides where that view does not: it is the same as
 * before the tap, it is another field of the page, or the text is a secret and the view cannot be known by its id. Where the tree has
 * no text field at all, as in games and remote desktops, keys still arrive: text that is no secret is typed there in the end.
 */
export async function focusField(
  call: Call,
  session: PhoneSession,
  target: Target,
  { secret, sight }: { secret: boolean; sight: Sight },
): Promise<void> {
  const { clock, limits } = session;
  const [before, found] = await Promise.all([
    readServedView(call, session),
    'x' in target ? undefined : findTarget(call, session, target, sight),
  ]);
  const field = found?.element.role === 'textfield' ? found.element : undefined;
  const name = nameOf(field);
  const isAlone = name !== '' && found?.elements.filter((one) => nameOf(one) === name).length === 1;
  const isField = (view: ServedView | undefined): boolean => isAlone && view?.name === name;
  if (isField(before)) return;
  if (field?.states.includes('focused') === true) {
    if (found?.fresh === true) return;
    if (focusOf(await look(call, session), found, undefined, false) === 'there') return;
  }
  const point = found === undefined ? (target as Point) : tapPoint(found.element, found.elements);
  await sendCommand(call, session, tapCommand(point), 'tap the field');
  const tappedMs = clock.monotonicMs();
  for (;;) {
    const view = await readServedView(call, session);
    if (isField(view)) return;
    const isNew = view !== undefined && view.identity !== before?.identity;
    const isOther = name !== '' && view?.name !== '' && view?.name !== name;
    if (isNew && !isOther && !secret) return;
    const waitedMs = clock.monotonicMs() - tappedMs;
    if (isNew || waitedMs >= NO_SIGN_MS) {
      const isLed = isNew && found !== undefined && !(secret && field !== undefined);
      const focus = focusOf(await look(call, session), found, point, isLed);
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
    await clock.sleep(LOOK_EVERY_MS, call.signal);
  }
}

interface Look {
  elements: readonly ScreenElement[];
  width: number;
  height: number;
}

/** The elements on the screen; none where the tree cannot be read. */
async function look(call: Call, { captures, trees }: PhoneSession): Promise<Look> {
  const [{ pixels }, { tree }] = await Promise.all([captures.next(call), trees.next(call)]);
  const { width, height } = pixels;
  return { elements: tree === undefined ? [] : elementsOf(tree, pixels).elements, width, height };
}

/** Whether the focus is at the target. `isLed`: also where the target is gone or no field, as the tap led to the field that has it. */
function focusOf(
  now: Look,
  found: Found | undefined,
  point: Point | undefined,
  isLed: boolean,
): 'there' | 'elsewhere' | 'no_fields' {
  const fields = now.elements.filter(({ role }) => role === 'textfield');
  if (fields.length === 0) return 'no_fields';
  const focused = fields.find(({ states }) => states.includes('focused'));
  if (focused === undefined) return 'elsewhere';
  const target = found && findAgain(found.element, found.elements, now.elements, now);
  if (target?.role === 'textfield') return target === focused ? 'there' : 'elsewhere';
  const isAt = target ? contains(target.bounds, centerOf(focused.bounds)) : point && contains(focused.bounds, point);
  return isAt === true || isLed ? 'there' : 'elsewhere';
}

function nameOf(element: ScreenElement | undefined): string {
  const id = element?.resourceId ?? '';
  return id.slice(id.lastIndexOf('/') + 1);
}
