import type { Call } from '../../kit/call/call.js';
import { ApiError } from '../../kit/errors/api-error.js';
import type { TouchedPhone } from './touched-phone.js';
import type { Point } from '../shapes/rectangle.js';

/**
 * Refuses points that are not on the screen. A point that is inside in either orientation is accepted at once. Only for other points is the
 * screen's orientation read. `known` is the size of the screen as it is turned now, where the caller knows that size.
 */
export async function assertOnScreen(
  call: Call,
  phoneSession: TouchedPhone,
  points: readonly (Point & { field: string })[],
  known?: { width: number; height: number },
): Promise<void> {
  const { width, height } = phoneSession.phone.screen;
  const square = Math.min(width, height);
  const doubtful = points.filter(({ x, y }) => x >= square || y >= square);
  if (doubtful.length === 0) return;
  // The newest frame of a watched screen shows the size, so that a moving finger does not wait for a capture.
  const size =
    known ??
    phoneSession.live.newest(true) ??
    phoneSession.video.screen ??
    (await phoneSession.captures.next(call)).pixels;
  for (const { x, y, field } of doubtful) {
    if (x < size.width && y < size.height) continue;
    throw new ApiError(
      'bad_request',
      `${field}: ${x}, ${y} is outside of the screen, which is ${size.width} x ${size.height} pixels now.`,
    );
  }
}
