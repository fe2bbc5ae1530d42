import type { ScreenContent, ScreenElement } from './elements.js';
import { type Between, sameThings } from './find-again.js';

/** What a caller knows of a screen, with the ids by which it knows the elements. */
export interface NamedContent {
  /** Undefined: it knows nothing of this window. */
  content: ScreenContent | undefined;
  /** Number of the next new id: no element gets one that was used before. */
  nextId: number;
}

/**
 * Gives the elements of a new observation the ids that the same ones had in the one before, and new ids to the others. The same one is
 * the one that a step on the id would find, so that an id never changes its meaning.
 */
export function keepIds(
  now: ScreenContent,
  { content: before, nextId }: NamedContent,
  between: Between,
): { elements: ScreenElement[]; nextId: number } {
  const ids = new Map<ScreenElement, string>();
  if (before !== undefined) {
    const same = sameThings(before, now, between);
    for (const old of before.elements) {
      const found = same.find(old);
      if (found !== undefined) ids.set(found, old.id);
    }
  }
  let next = nextId;
  const elements = now.elements.map((element) => ({ ...element, id: ids.get(element) ?? `e${next++}` }));
  return { elements, nextId: next };
}
