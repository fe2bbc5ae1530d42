import type { Call } from '../../kit/call.js';
import { ApiError } from '../../kit/errors.js';
import type { PhoneSession } from '../phones/phone-session.js';
import type { Point } from '../tree/rectangle.js';

/**
 * Refuses points that are not on the screen. Its orientation is read only when that makes a difference: a point that is inside in
 * either orientation is accepted at once.
 */
export async function assertOnScreen(
  call: Call,
  session: PhoneSession,
  points: readonly (Point & { field: string })[],
): Promise<void> {
  const { width, height } = session.phone.screen;
  const square = Math.min(width, height);
  const doubtful = points.filter(({ x, y }) => x >= square || y >= square);
  if (doubtful.length === 0) return;
  const { pixels } = await session.captures.next(call);
  for (const { x, y, field } of doubtful) {
    if (x < pixels.width && y < pixels.height) continue;
    throw new ApiError(
      'bad_request',
      `${field}: ${x}, ${y} is outside of the screen, which is ${pixels.width} x ${pixels.height} pixels now.`,
    );
  }
}
