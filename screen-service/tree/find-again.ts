import type { ScreenElement } from './elements.js';
import { area, centerOf, contains, type Point } from './rectangle.js';

/** An element that does not say the same may have moved by this share of the screen's longer side and still count as the same. */
const MOVED_SHARE = 0.1;

/**
 * Finds the element that was seen before among those of the same window now; undefined when it is gone, or in doubt. It has the
 * same class, resource id and text; of several, it is the nearest one. One with another text counts only near
 * the old place, and when its resource id was and is unique (a button that turned from Follow to Following). Not the ids of
 * Android itself: every dialog has an `android:id/button1`.
 */
export function findAgain(
  seen: ScreenElement,
  before: readonly ScreenElement[],
  now: readonly ScreenElement[],
  screen: { width: number; height: number },
): ScreenElement | undefined {
  const sameKind = (other: ScreenElement): boolean =>
    other.className === seen.className && other.resourceId === seen.resourceId;
  const candidates = now.filter(sameKind);
  const named = seen.text !== '' || seen.label !== '';
  const sayingTheSame = candidates.filter((other) => other.text === seen.text && other.label === seen.label);
  if (named && sayingTheSame.length > 0) return nearest(seen, sayingTheSame);
  const ownId = seen.resourceId !== '' && !seen.resourceId.startsWith('android:');
  const unique = ownId && candidates.length === 1 && before.filter(sameKind).length === 1;
  const similar = unique
    ? candidates
    : named && !seen.states.includes('editable')
      ? []
      : sayingSimilar(seen, candidates);
  const reach = MOVED_SHARE * Math.max(screen.width, screen.height);
  return nearest(
    seen,
    similar.filter((other) => distance(seen, other) <= reach),
  );
}

/** A field without an id of its own is known by its hint and its place, as its text is what changes. */
function sayingSimilar(seen: ScreenElement, candidates: readonly ScreenElement[]): ScreenElement[] {
  if (seen.states.includes('editable')) return candidates.filter(({ label }) => label === seen.label);
  return candidates.filter(({ text, label }) => text === '' && label === '');
}

function nearest(seen: ScreenElement, candidates: readonly ScreenElement[]): ScreenElement | undefined {
  return [...candidates].sort((a, b) => distance(seen, a) - distance(seen, b))[0];
}

function distance(a: ScreenElement, b: ScreenElement): number {
  const [from, to] = [centerOf(a.bounds), centerOf(b.bounds)];
  return Math.hypot(from.x - to.x, from.y - to.y);
}

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
