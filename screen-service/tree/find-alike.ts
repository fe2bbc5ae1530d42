import type { ScreenElement } from './elements.js';
import { centerOf } from './rectangle.js';

/** An element with other words may have moved by this share of the screen's longer side and still count as the same. */
const MOVED_SHARE = 0.1;

/**
 * Finds the element of a window that most likely is the one that was seen before, for checks that press nothing: findAgain is stricter.
 * Undefined when it is gone, or in doubt. It has the same class, resource id and text. Of several, as the buttons of a list's rows, it is the one beside the same words, or else the one
 * at the very same place. One with another text counts only near the old place, and when its resource id was and is unique (a
 * button that turned from Follow to Following). Not the ids of Android itself: every dialog has an `android:id/button1`.
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
 * The only one of its like; of several the one beside the same words, of several of these the one at the same place. The only one, too,
 * is in doubt when it moved and has other words beside it: a list that shows one row at a time was scrolled to another row.
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
 * The words of the elements in the same row of the screen, which distinguish a row's button from those of other rows. The text of a
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
