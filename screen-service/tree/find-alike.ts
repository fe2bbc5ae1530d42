import type { ScreenElement } from './elements.js';
import { centerOf } from '../shapes/rectangle.js';

/** An element with other words may have moved by this share of the screen's longer side and still count as the same. */
const MOVED_SHARE = 0.1;

/**
 * Finds, in a new reading of a window, the element that is most likely the one that was seen before. The result is for checks that press
 * nothing; find-again.ts is stricter. Returns undefined when the element is gone, or when it is in doubt which one it is.
 *
 * The element has the same class, resource id and text. Several elements may have these, such as the buttons of a list's rows. Then the
 * element is the one beside the same words, or else the one at the same place. An element with another text, such as a button that turned
 * from Follow to Following, counts only near the old place. Its resource id must also be unique in both readings. Ids of Android itself do
 * not count as unique: every dialog has an `android:id/button1`.
 */
export function findAlike(
  seen: ScreenElement,
  before: readonly ScreenElement[],
  now: readonly ScreenElement[],
  screen: { width: number; height: number },
): ScreenElement | undefined {
  const candidates = now.filter((other) => sameKind(seen, other));
  const isNamed = named(seen);
  if (isNamed) {
    const same = (other: ScreenElement): boolean => sameKind(seen, other) && sameWords(seen, other);
    if (now.some(same)) return theOne(seen, before, now, same);
  }
  const reach = MOVED_SHARE * Math.max(screen.width, screen.height);
  const isNear = (other: ScreenElement): boolean => distance(seen, other) <= reach;
  const ownId = seen.resourceId !== '' && !seen.resourceId.startsWith('android:');
  if (ownId && candidates.length === 1 && before.filter((other) => sameKind(seen, other)).length === 1) {
    return candidates.find(isNear);
  }
  // A field without an id of its own is known by its label, as its text changes.
  if (seen.states.includes('editable')) {
    return theOne(seen, before, now, (other) => sameKind(seen, other) && other.label === seen.label && isNear(other));
  }
  return isNamed
    ? undefined
    : theOne(seen, before, now, (other) => sameKind(seen, other) && !named(other) && isNear(other));
}

/**
 * Returns the one element that is like the earlier one. Where several are, it is the one beside the same words, or else the one at the same
 * place. A single one is also in doubt when it moved and has other words beside it, as in a list that shows one row at a time.
 */
function theOne(
  seen: ScreenElement,
  before: readonly ScreenElement[],
  now: readonly ScreenElement[],
  isLike: (other: ScreenElement) => boolean,
): ScreenElement | undefined {
  const alike = now.filter(isLike);
  const [only] = alike;
  if (only !== undefined && distance(seen, only) === 0 && isAlone(alike) && isAlone(before.filter(isLike))) return only;
  const beside = wordsBeside(seen, before);
  const among = alike.filter((other) => wordsBeside(other, now) === beside);
  return isAlone(among) ? among[0] : among.find((other) => distance(seen, other) === 0);
}

function named({ text, label }: ScreenElement): boolean {
  return text !== '' || label !== '';
}

export function sameKind(a: ScreenElement, b: ScreenElement): boolean {
  return a.className === b.className && a.resourceId === b.resourceId;
}

function sameWords(a: ScreenElement, b: ScreenElement): boolean {
  return a.text === b.text && a.label === b.label;
}

/**
 * Returns the words of the elements in the same row of the screen, which distinguish a row's button from those of other rows. The text of a
 * field is left out, as it changes with each typing.
 */
function wordsBeside(element: ScreenElement, elements: readonly ScreenElement[]): string {
  const { y } = centerOf(element.bounds);
  const beside = elements.filter(
    (other) => other !== element && other.bounds.y <= y && y < other.bounds.y + other.bounds.height,
  );
  const words = beside.flatMap(({ text, label, states }) => (states.includes('editable') ? [label] : [text, label]));
  return JSON.stringify(words.filter((word) => word !== ''));
}

function isAlone(elements: readonly ScreenElement[]): boolean {
  return elements.length === 1;
}

function distance(a: ScreenElement, b: ScreenElement): number {
  const [from, to] = [centerOf(a.bounds), centerOf(b.bounds)];
  return Math.hypot(from.x - to.x, from.y - to.y);
}
