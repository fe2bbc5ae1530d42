import type { ScreenElement } from './elements.js';
import { foldCase, foldWords } from './fold-words.js';
import type { Role } from './role.js';

/** Compares one of an element's words with the wanted text. */
type Matcher = (words: string) => boolean;

/** Makes the matcher for a wanted text. */
type Way = (wanted: string) => Matcher;

const NEVER: Matcher = () => false;

const equal: Way = (wanted) => (words) => words === wanted;

const equalInCase: Way = (wanted) => {
  const same = foldCase(wanted);
  return same === '' ? NEVER : (words) => foldCase(words) === same;
};

const equalFolded: Way = (wanted) => {
  const same = foldWords(wanted);
  return same === undefined || same === '' ? NEVER : (words) => foldWords(words) === same;
};

const holds: Way = (wanted) => {
  const [part, folded = ''] = [foldCase(wanted), foldWords(wanted)];
  return (words) => foldCase(words).includes(part) || (folded !== '' && foldWords(words)?.includes(folded) === true);
};

/** The ways to compare whole texts, the best first. */
const WHOLE: readonly Way[] = [equal, equalInCase, equalFolded];
const WHOLE_OR_PART: readonly Way[] = [...WHOLE, holds];

/**
 * Returns the elements that have `wanted` as a whole text or label. If no element has exactly this text, case and blanks are ignored. If
 * there is still none, differences in punctuation and in the forms of letters are ignored too (foldWords). A text that only contains
 * `wanted` does not count: "Allow" is not "Don't allow". With `role`, only elements of this role are returned.
 */
export function findByWords(elements: readonly ScreenElement[], wanted: string, role?: Role): ScreenElement[] {
  return findIn(elements, wanted, WHOLE, role);
}

/**
 * Returns the elements that have `wanted` as a part of their words. Elements with it as a whole text or label come first. It is for a caller
 * whose words match no element exactly.
 */
export function findCandidates(elements: readonly ScreenElement[], wanted: string): ScreenElement[] {
  const all = findIn(elements, wanted, [holds]);
  const whole = new Set(findByWords(all, wanted));
  return [...whole, ...all.filter((element) => !whole.has(element))];
}

/**
 * Returns the elements that have `wanted` in their words. If some have it as a whole text or label, only these are returned, as by
 * findByWords. Otherwise, all elements that contain it are returned. With `exact`, only elements with exactly this text are returned, case
 * included.
 */
export function findText(elements: readonly ScreenElement[], wanted: string, exact: boolean): ScreenElement[] {
  return findIn(elements, wanted, exact ? [equal] : WHOLE_OR_PART);
}

/** Returns the first of an element's words that has `wanted` in it. */
export function matchingWords({ words, text, label }: ScreenElement, wanted: string): string {
  for (const way of WHOLE_OR_PART) {
    const found = words.find(way(wanted));
    if (found !== undefined) return found;
  }
  return text === '' ? label : text;
}

/** Returns the elements of the first way that finds any. */
function findIn(
  elements: readonly ScreenElement[],
  wanted: string,
  ways: readonly Way[],
  role?: Role,
): ScreenElement[] {
  const candidates = role === undefined ? elements : elements.filter((element) => element.role === role);
  for (const way of ways) {
    const matches = way(wanted);
    const found = candidates.filter(({ words }) => words.some(matches));
    if (found.length > 0) return found;
  }
  return [];
}
