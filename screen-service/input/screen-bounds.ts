import type { Call } from '../../kit/call.js';
import { ApiError } from '../../kit/errors.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import type { Point } from '../tree/rectangle.js';

/**
 * Refuses points that are not on the screen. Its orientation is read only when that makes a difference: a point that is inside in
 * either orientation is accepted at once. `known`: the screen as it is turned now, where the caller knows it.
 */
export async function assertOnScreen(
  call: Call,
  kept: KeptPhone,
  points: readonly (Point & { field: string })[],
  known?: { width: number; height: number },
): Promise<void> {
  const { width, height } = kept.phone.screen;
  const square = Math.min(width, height);
  const doubtful = points.filter(({ x, y }) => x >= square || y >= square);
  if (doubtful.length === 0) return;
  // A watched screen's newest frame shows it, and a finger that moves does not wait for a capture.
  const size = known ?? kept.live.newest(true) ?? kept.video.screen ?? (await kept.captures.next(call)).pixels;
  for (const { x, y, field } of doubtful) {
    if (x < size.width && y < size.height) continue;
    throw new ApiError(
      'bad_request',
      `${field}: ${x}, ${y} is outside of the screen, which is ${size.width} x ${size.height} pixels now.`,
    );
  }
}
