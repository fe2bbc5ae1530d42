import type { ScreenElement } from './elements.js';
import type { Role } from './role.js';

/**
 * The elements that have `wanted` among their words, of `role` alone when it is given: those where it is the whole of one; without any,
 * those where it is in another case; without any, those where it is a part.
 */
export function findByWords(
  elements: readonly ScreenElement[],
  wanted: string,
  role: Role | undefined,
): ScreenElement[] {
  const candidates = role === undefined ? elements : elements.filter((element) => element.role === role);
  const lower = wanted.toLocaleLowerCase('en');
  const matches: ((words: string) => boolean)[] = [
    (words) => words === wanted,
    (words) => words.toLocaleLowerCase('en') === lower,
    (words) => words.toLocaleLowerCase('en').includes(lower),
  ];
  for (const matching of matches) {
    const found = candidates.filter(({ words }) => words.some(matching));
    if (found.length > 0) return found;
  }
  return [];
}
