import type { Schemas } from '../service/types.js';

type Element = Schemas['Element'];

/** Most elements that a report names. */
const MAX_NEAREST = 5;

/** Longest words that are compared, characters. */
const MAX_COMPARED_CHARS = 200;

/** Least share of common letters that makes words similar. */
const SIMILAR = 0.3;

/** Returns the elements whose words are most like the sought ones. Where none are, it returns the first that take input, or any. */
export function nearest(elements: readonly Element[], sought: string): Element[] {
  const scored = elements
    .map((element) => ({ element, score: Math.max(...wordsOf(element).map((words) => similarity(words, sought))) }))
    .filter(({ score }) => score >= SIMILAR)
    .sort((a, b) => b.score - a.score);
  if (scored.length > 0) return scored.slice(0, MAX_NEAREST).map(({ element }) => element);
  const usable = elements.filter(({ states = [] }) =>
    states.some((state) => state === 'clickable' || state === 'editable'),
  );
  return (usable.length > 0 ? usable : elements).slice(0, MAX_NEAREST);
}

/** Returns an element in words: `button "Save" at 360,1148`. */
export function elementWords(element: Element): string {
  const { role, text, label, center } = element;
  const words = [text, label].filter((one) => one !== undefined && one !== '').map((one) => JSON.stringify(one));
  return [role, ...words, `at ${center.x},${center.y}`].join(' ');
}

function wordsOf({ text = '', label = '' }: Element): string[] {
  return [text, label];
}

/** Returns how alike two texts are, 0 to 1: twice the common pairs of letters, as a share of all pairs. A text inside the other counts 1. */
export function similarity(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => text.slice(0, MAX_COMPARED_CHARS).toLowerCase().trim());
  if (a === undefined || b === undefined || a === '' || b === '') return 0;
  if (a.includes(b) || b.includes(a)) return 1;
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < a.length; at++) pairs.set(a.slice(at, at + 2), (pairs.get(a.slice(at, at + 2)) ?? 0) + 1);
  let common = 0;
  for (let at = 0; at + 1 < b.length; at++) {
    const count = pairs.get(b.slice(at, at + 2)) ?? 0;
    if (count === 0) continue;
    common++;
    pairs.set(b.slice(at, at + 2), count - 1);
  }
  return (2 * common) / Math.max(1, a.length + b.length - 2);
}
