import type { ScreenContent, ScreenElement } from './elements.js';
import { sameThings } from './find-again.js';
import type { Between } from './what-may-differ.js';

/** The latest screen that a caller has observed, with the ids of its elements, and the events since then. */
export interface KnownContent {
  content: ScreenContent;
  between: Between;
}

/**
 * Gives elements of a new observation the ids that they had in the one before, and new ids to the others. An element is the same where a
 * step on its old id would find it, so that an id never changes its meaning. `nextId`: the number of the next new id, as an id is never
 * used again. `known` undefined: the caller knows nothing of this window.
 */
export function keepIds(
  now: ScreenContent,
  known: KnownContent | undefined,
  nextId: number,
): { elements: ScreenElement[]; nextId: number } {
  const ids = new Map<ScreenElement, string>();
  if (known !== undefined) {
    const same = sameThings(known.content, now, known.between);
    for (const old of known.content.elements) {
      const found = same.find(old);
      if (found !== undefined) ids.set(found, old.id);
    }
  }
  let next = nextId;
  const elements = now.elements.map((element) => ({ ...element, id: ids.get(element) ?? `e${next++}` }));
  return { elements, nextId: next };
}
