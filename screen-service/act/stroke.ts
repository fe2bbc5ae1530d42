import type { SwipeDirection } from '../input/gestures.js';
import type { ScreenElement } from '../tree/elements.js';
import { area, contains, type Point, type Rectangle } from '../tree/rectangle.js';

/** The way of a finger. */
export interface Stroke {
  from: Point;
  to: Point;
}

/** Shares of the way across at which a stroke may run, the middle first. */
const LANES = [0.5, 0.3, 0.7, 0.15, 0.85, 0.05, 0.95];

/**
 * A stroke over `share` of the area in the direction in which the finger moves, around its middle. It begins where it hits the area and
 * nothing in it that moves by itself: a nested list would scroll, a slider would change.
 */
export function strokeAcross(
  within: Rectangle,
  direction: SwipeDirection,
  share: number,
  elements: readonly ScreenElement[],
): Stroke {
  const inTheWay = elements.filter(
    ({ bounds, role, states }) =>
      (role === 'slider' || states.includes('scrollable')) &&
      area(bounds) < area(within) &&
      contains(within, { x: bounds.x, y: bounds.y }),
  );
  const strokes = SHIFTS.flatMap((shift) => LANES.map((lane) => strokeAt(within, direction, share, lane, shift)));
  const free = strokes.find(({ from }) => inTheWay.every(({ bounds }) => !contains(bounds, from)));
  return free ?? strokeAt(within, direction, share, 0.5, 0);
}

/** How far along its own way a stroke may be moved, as a share of the room that it leaves; none first. */
const SHIFTS = [0, 0.9, -0.9, 0.5, -0.5];

function strokeAt(
  { x, y, width, height }: Rectangle,
  direction: SwipeDirection,
  share: number,
  lane: number,
  shift: number,
): Stroke {
  const lying = direction === 'left' || direction === 'right';
  const length = lying ? width : height;
  const middle = length / 2 + (shift * length * (1 - share)) / 2;
  const sign = direction === 'up' || direction === 'left' ? -1 : 1;
  const at = (end: 1 | -1): Point => {
    const along = Math.round(middle + (end * sign * length * share) / 2);
    return lying
      ? { x: x + along, y: Math.round(y + height * lane) }
      : { x: Math.round(x + width * lane), y: y + along };
  };
  return { from: at(-1), to: at(1) };
}
