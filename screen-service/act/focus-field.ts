import type { Call } from '../../kit/call.js';
import { tapCommand } from '../input/gestures.js';
import { sendCommand } from '../input/send-command.js';
import { readServedView, type ServedView } from '../input/served-view.js';
import { contentOf } from '../observe/observe.js';
import { readScreenOnce } from '../observe/read-screen.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import type { ScreenElement } from '../tree/elements.js';
import { findAlike } from '../tree/find-alike.js';
import { tapPoint } from '../tree/tap-point.js';
import { centerOf, contains, type Point } from '../tree/rectangle.js';
import { findTarget, type Found } from './find-target.js';
import { DoneInPart, type Target } from './step.js';
import type { StepContext } from './step-context.js';

/** The focus is checked this often, ms. */
const CHECK_EVERY_MS = 50;

/** When no field has newly got the focus by then, the tree is read: the field may have had it before the tap, ms. */
const NO_SIGN_MS = 500;

/**
 * Taps the field, unless it has the focus, and returns once text that is typed goes to it, or to a field that the tap led to: a search
 * box often opens a page with a field of its own. A secret for a text field goes to no other. Throws bad_request when no such field gets
 * the focus in time.
 *
 * The view that the keyboard is connected to shows it in most cases. The tree decides where that view does not: it is the same as
 * before the tap, it is another field of the page, or the text is a secret and the view cannot be known by its id. Where the tree has
 * no text field at all, as in games and remote desktops, keys still arrive: text that is no secret is typed there in the end.
 */
export async function focusField(
  call: Call,
  kept: KeptPhone,
  target: Target,
  context: StepContext & { secret: boolean },
): Promise<void> {
  const { clock, limits } = kept;
  const { secret } = context;
  const [before, found] = await Promise.all([
    readServedView(call, kept),
    'x' in target ? undefined : findTarget(call, kept, target, context),
  ]);
  const field = found?.element.role === 'textfield' ? found.element : undefined;
  context.showsText = field !== undefined && !field.states.includes('password');
  const name = nameOf(field);
  const isAlone = name !== '' && found?.elements.filter((one) => nameOf(one) === name).length === 1;
  const isField = (view: ServedView | undefined): boolean => isAlone && view?.name === name;
  if (isField(before)) return;
  if (field?.states.includes('focused') === true) {
    if (found?.fresh === true) return;
    if (focusOf(await readFields(call, kept), found) === 'there') return;
  }
  const point = found === undefined ? (target as Point) : tapPoint(found.element, found.elements);
  await sendCommand(call, kept, tapCommand(point), 'tap the field');
  const tappedMs = clock.monotonicMs();
  for (;;) {
    const view = await readServedView(call, kept);
    if (isField(view)) return;
    const isNew = view !== undefined && view.identity !== before?.identity;
    const isOther = name !== '' && view?.name !== '' && view?.name !== name;
    if (isNew && !isOther && !secret) return;
    const waitedMs = clock.monotonicMs() - tappedMs;
    if (isNew || waitedMs >= NO_SIGN_MS) {
      const mayBeLed = isNew && found !== undefined && !(secret && field !== undefined);
      const focus = focusOf(await readFields(call, kept), found, { point, mayBeLed });
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

interface Fields {
  elements: readonly ScreenElement[];
  width: number;
  height: number;
}

/** The elements on the screen; none where the tree cannot be read. */
async function readFields(call: Call, kept: KeptPhone): Promise<Fields> {
  const { frame, dump } = await readScreenOnce(call, kept);
  const { width, height } = frame.pixels;
  return { elements: dump.tree === undefined ? [] : contentOf(dump.tree, frame.pixels, kept).elements, width, height };
}

/**
 * Whether the target has the focus. `tapped`: where the target was tapped, and whether the tap may have led to another field, as that of
 * a search page: then any field that has the focus is right, unless the target is a field that is still on the screen.
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
