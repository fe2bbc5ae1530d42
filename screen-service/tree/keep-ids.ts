import { isUsable, type ScreenElement } from './elements.js';
import { findAgain, sameKind } from './find-again.js';

/** Elements with the ids that a caller knows them by. */
export interface NamedElements {
  elements: readonly ScreenElement[];
  /** Number of the next new id: no element gets one that was used before. */
  nextId: number;
}

/**
 * Gives the elements of a new observation the ids that the same ones had in the one before, and new ids to the others. The same one is
 * the one that a step on the id would find, so that an id never changes its meaning; also a text that cannot be pressed, in the place of
 * another one.
 */
export function keepIds(
  now: readonly ScreenElement[],
  { elements: before, nextId }: NamedElements,
  screen: { width: number; height: number },
): NamedElements {
  const ids = new Map<ScreenElement, string>();
  const kept = new Set<string>();
  const keep = (old: ScreenElement, found: ScreenElement | undefined): void => {
    if (found === undefined || ids.has(found)) return;
    ids.set(found, old.id);
    kept.add(old.id);
  };
  // Those that did not change at all first, so that none of them is taken for another one that did.
  const byFacts = new Map(now.map((element) => [factsOf(element), element]));
  for (const old of before) keep(old, byFacts.get(factsOf(old)));
  for (const old of before) {
    if (kept.has(old.id)) continue;
    const free = now.filter((element) => !ids.has(element));
    keep(old, findAgain(old, before, now, screen) ?? free.find((element) => replaces(element, old)));
  }
  let next = nextId;
  const elements = now.map((element) => ({ ...element, id: ids.get(element) ?? `e${next++}` }));
  return { elements, nextId: next };
}

function factsOf({ className, resourceId, text, label, bounds: { x, y, width, height } }: ScreenElement): string {
  return JSON.stringify([className, resourceId, text, label, x, y, width, height]);
}

/** A text in the place of another one, as of a clock. Neither can be pressed, so that taking one for the other does no harm. */
function replaces(element: ScreenElement, old: ScreenElement): boolean {
  return (
    !isUsable(element) &&
    !isUsable(old) &&
    sameKind(element, old) &&
    element.bounds.x === old.bounds.x &&
    element.bounds.y === old.bounds.y &&
    element.bounds.height === old.bounds.height
  );
}
