import type { ScreenElement } from './elements.js';
import { centerOf, contains, area, type Point } from './rectangle.js';

/** Shares of an element's width and height at which to try a tap, the middle first. */
const TAP_SHARES: readonly (readonly [number, number])[] = [
  [0.5, 0.5],
  [0.25, 0.5],
  [0.75, 0.5],
  [0.1, 0.5],
  [0.9, 0.5],
  [0.5, 0.25],
  [0.5, 0.75],
];

/** Where to tap an element so that no smaller thing to tap inside it is hit instead. The middle, when nothing is in the way. */
export function tapPoint(element: ScreenElement, elements: readonly ScreenElement[]): Point {
  const { bounds } = element;
  const inTheWay = elements.filter(
    (other) =>
      other !== element &&
      other.states.some((state) => state === 'clickable' || state === 'checkable') &&
      area(other.bounds) < area(bounds) &&
      contains(bounds, centerOf(other.bounds)),
  );
  const points = TAP_SHARES.map(([across, down]) => ({
    x: Math.floor(bounds.x + bounds.width * across),
    y: Math.floor(bounds.y + bounds.height * down),
  }));
  return points.find((point) => !inTheWay.some((other) => contains(other.bounds, point))) ?? centerOf(bounds);
}
