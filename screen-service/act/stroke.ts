import type { SwipeDirection } from '../input/command/gestures.js';
import type { ScreenElement } from '../tree/elements.js';
import { area, contains, type Point, type Rectangle } from '../shapes/rectangle.js';

/** A straight move of a finger over the screen. */
export interface Stroke {
  from: Point;
  to: Point;
}

/** The positions at which a stroke may run, as shares of the area's size across the stroke. The middle is tried first. */
const LANES = [0.5, 0.3, 0.7, 0.15, 0.85, 0.05, 0.95];

/**
 * Returns a stroke in the direction in which the finger moves, as long as `share` of the area. It avoids beginning on a nested list or a
 * slider, which would take the stroke. When no such stroke is found, it runs through the middle.
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

/**
 * How far a stroke may be shifted along its direction, as a share of the free room at its end. The stroke without a shift is tried first.
 */
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
