import type { Call } from '../../kit/call.js';
import { ApiError } from '../../kit/errors.js';
import { type Foreground } from '../../phone/screen/windows.js';
import { foregroundOf, readForeground } from '../app/foreground.js';
import type { RememberedObservation } from '../observe/latest-observations.js';
import { sameWithin } from '../observe/masks.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { elementsOf } from '../tree/elements.js';
import { findAgain } from '../tree/find-again.js';
import type { Found } from './step.js';

/**
 * Finds the element `id` of the caller's latest observation on the current screen. When the same window still shows the same in
 * its place, it is where it was; else the tree is read again. Throws not_found when there is no such element, or no more.
 */
export async function findElement(
  call: Call,
  session: PhoneSession,
  id: string,
  seen: RememberedObservation | undefined,
): Promise<Found> {
  const { captures, trees, phone } = session;
  if (seen === undefined) {
    throw new ApiError(
      'not_found',
      `${id}: this key has not observed the device since it was started. Call GET /v1/devices/${phone.name}/observe first.`,
    );
  }
  const before = seen.content.elements;
  const element = before.find((one) => one.id === id);
  if (element === undefined) {
    throw new ApiError(
      'not_found',
      `${id}: there is no such element in your latest observation ${seen.id}. Observe again.`,
    );
  }
  const [{ pixels }, front] = await Promise.all([captures.next(call), readForeground(call, session)]);
  const untouched =
    seen.pixels !== undefined &&
    sameWindow(seen.front, front) &&
    sameWithin(seen.pixels, pixels, element.bounds, phone.screen.density);
  if (untouched) return { element, elements: before };
  const { tree } = await trees.next(call);
  if (tree === undefined) {
    throw new ApiError(
      'timeout',
      `${id} could not be looked up: the screen does not come to rest. Tap x and y instead, or wait and observe again.`,
    );
  }
  const now = elementsOf(tree, pixels).elements;
  const again = sameWindow(seen.front, foregroundOf(tree, front)) ? findAgain(element, before, now, pixels) : undefined;
  if (again === undefined) {
    throw new ApiError(
      'not_found',
      `${id} of your observation ${seen.id} is not on the screen any more. Observe again.`,
    );
  }
  return { element: again, elements: now };
}

/**
 * The window of the observation has the focus: in another one, such as the next dialog, an element with the same id and even the
 * same words means something else. While windows change, the phone names none; then app and activity decide.
 */
function sameWindow(seen: Foreground, now: Foreground): boolean {
  if (seen.app !== now.app || seen.activity !== now.activity) return false;
  return seen.window === '' || now.window === '' || seen.window === now.window;
}
