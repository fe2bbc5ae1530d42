import { ApiError } from '../../kit/errors.js';
import { sameScreen } from '../observe/masks.js';
import type { RememberedObservation } from '../observe/latest-observations.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { elementsOf } from '../tree/elements.js';
import { findAgain } from '../tree/find-again.js';
import type { Found } from './step.js';

/**
 * The element `id` of the caller's latest observation, as it stands on the current screen. When the screen still shows what it
 * showed then, it is where it was; else the tree is read again. Throws not_found when there is no such element, or no more.
 */
export async function findElement(
  session: PhoneSession,
  id: string,
  seen: RememberedObservation | undefined,
): Promise<Found> {
  if (seen === undefined) {
    throw new ApiError(
      'not_found',
      `${id}: this key has not observed the device since it was started. Call GET /v1/devices/${session.phone.name}/observe first.`,
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
  const { pixels } = await session.captures.next();
  if (seen.pixels !== undefined && sameScreen(seen.pixels, pixels, session.phone.screen.density)) {
    return { element, elements: before };
  }
  const { tree } = await session.trees.next();
  if (tree === undefined) {
    throw new ApiError(
      'timeout',
      `${id} could not be looked up: the screen does not come to rest. Tap x and y instead, or wait and observe again.`,
    );
  }
  const now = elementsOf(tree, pixels).elements;
  const again = findAgain(element, before, now, pixels);
  if (again === undefined) {
    throw new ApiError('not_found', `${id} is not on the screen any more. Observe again.`);
  }
  return { element: again, elements: now };
}
