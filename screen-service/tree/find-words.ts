import type { ScreenElement } from './elements.js';
import type { Role } from './role.js';

/** How one of an element's words is compared with the wanted text. */
type Way = (words: string, wanted: string) => boolean;

const equal: Way = (words, wanted) => words === wanted;
const equalFolded: Way = (words, wanted) => folded(wanted) !== '' && folded(words) === folded(wanted);
const holds: Way = (words, wanted) => folded(words).includes(folded(wanted));

/** An earlier way is the better one. */
const WHOLE: readonly Way[] = [equal, equalFolded];
const WHOLE_OR_PART: readonly Way[] = [...WHOLE, holds];

/**
 * The elements of which `wanted` is a whole text or label: exactly, or else apart from case and blanks. Never one that has it as a part:
 * "Allow" is not "Don't allow". `role`: only elements of this role.
 */
export function findByWords(elements: readonly ScreenElement[], wanted: string, role?: Role): ScreenElement[] {
  return findIn(elements, wanted, WHOLE, role);
}

/** The elements that have `wanted` as a part of their words, with a whole text or label first, for a caller that named none exactly. */
export function findCandidates(elements: readonly ScreenElement[], wanted: string): ScreenElement[] {
  const all = findIn(elements, wanted, [holds]);
  const whole = new Set(findByWords(all, wanted));
  return [...whole, ...all.filter((element) => !whole.has(element))];
}

/**
 * The elements that have `wanted` among their words. If some have it as a whole text or label, only these are found, as by findByWords;
 * else all that have it as a part. `exact`: only those that have exactly this text, case included.
 */
export function findText(elements: readonly ScreenElement[], wanted: string, exact: boolean): ScreenElement[] {
  return findIn(elements, wanted, exact ? [equal] : WHOLE_OR_PART);
}

/** The one of an element's words that has `wanted` in it. */
export function matchingWords({ words, text, label }: ScreenElement, wanted: string): string {
  for (const matches of WHOLE_OR_PART) {
    const found = words.find((one) => matches(one, wanted));
    if (found !== undefined) return found;
  }
  return text === '' ? label : text;
}

/** The elements that the first way with any finds. */
function findIn(
  elements: readonly ScreenElement[],
  wanted: string,
  ways: readonly Way[],
  role?: Role,
): ScreenElement[] {
  const candidates = role === undefined ? elements : elements.filter((element) => element.role === role);
  for (const matches of ways) {
    const found = candidates.filter(({ words }) => words.some((one) => matches(one, wanted)));
    if (found.length > 0) return found;
  }
  return [];
}

function folded(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').toLocaleLowerCase('en');
}
