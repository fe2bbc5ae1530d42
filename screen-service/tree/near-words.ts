import { isUsable, type ScreenElement } from './elements.js';
import { foldWords } from './fold-words.js';

/** The length of a text's beginning that is compared, UTF-16 code units. */
const MAX_COMPARED_CHARS = 200;

/** How many names of one thing are compared at most. */
const MAX_WORDS = 10;

/** The least share of common pairs of letters at which two texts count as alike. */
const ALIKE = 0.4;

/** Returns the elements with words like `wanted`, the most alike first. */
export function findNearWords(elements: readonly ScreenElement[], wanted: string): ScreenElement[] {
  return findNear(elements, wanted, ({ words }) => words);
}

/**
 * Returns the things that have a name like `wanted`, the most alike first. Names are alike by the pairs of letters that they have in
 * common.
 */
export function findNear<T>(things: readonly T[], wanted: string, namesOf: (thing: T) => readonly string[]): T[] {
  const pairs = pairsOf(wanted);
  const likeness = (thing: T): number =>
    Math.max(
      0,
      ...namesOf(thing)
        .slice(0, MAX_WORDS)
        .map((name) => shared(pairs, pairsOf(name))),
    );
  return things
    .map((thing) => ({ thing, alike: likeness(thing) }))
    .filter(({ alike }) => alike >= ALIKE)
    .sort((one, other) => other.alike - one.alike)
    .map(({ thing }) => thing);
}

/**
 * Returns the elements to suggest when no element has words like those of the caller. They have words and take input. When there are none,
 * all elements with words are returned.
 */
export function findNamed(elements: readonly ScreenElement[]): ScreenElement[] {
  const named = elements.filter(({ words }) => words.length > 0);
  const usable = named.filter(isUsable);
  return usable.length > 0 ? usable : named;
}

/** Returns the pairs of neighbouring letters. The ends count as letters too, so that a single letter has pairs. */
function pairsOf(text: string): ReadonlySet<string> {
  const letters = Array.from(` ${foldWords(text.slice(0, MAX_COMPARED_CHARS)) ?? ''} `);
  return new Set(letters.slice(1).map((letter, at) => `${letters[at]}${letter}`));
}

function shared(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let both = 0;
  for (const pair of one) if (other.has(pair)) both++;
  return (2 * both) / (one.size + other.size);
}
