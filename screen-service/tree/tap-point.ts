import { type ElementState, isUsable, type ScreenElement } from './elements.js';
import { centerOf, contains, area, type Point } from '../shapes/rectangle.js';

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

/**
 * Returns the point at which to tap an element, so that no smaller tappable element inside it is hit. It is the middle when nothing is in
 * the way.
 */
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

/** Returns the element that takes a touch at a point: the smallest one there that has an action. */
export function elementAt(point: Point, elements: readonly ScreenElement[]): ScreenElement | undefined {
  const there = elements.filter((element) => hasAction(element) && contains(element.bounds, point));
  return there.sort((a, b) => area(a.bounds) - area(b.bounds))[0];
}

/**
 * Returns the elements that would be pressed in place of one that takes no touch itself. These are the elements inside a list or page that
 * scrolls, and the usable ones inside any other element. An empty result: the element itself can be pressed. This holds for a text without
 * an action too, as it may be a part of an element that has one.
 */
export function childrenPressed(element: ScreenElement, elements: readonly ScreenElement[]): ScreenElement[] {
  const { states, bounds } = element;
  if (hasAction(element)) return [];
  const inside = elements.filter(
    (other) => other !== element && area(other.bounds) < area(bounds) && contains(bounds, centerOf(other.bounds)),
  );
  return states.includes('scrollable') ? inside : inside.filter(isUsable);
}

function hasAction({ states, role }: ScreenElement): boolean {
  return role === 'slider' || states.some((state) => ACTIONS.has(state));
}

const ACTIONS: ReadonlySet<ElementState> = new Set(['clickable', 'long_clickable', 'editable', 'checkable']);
