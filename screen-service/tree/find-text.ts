import type { TextSpot } from './elements.js';
import { foldWords } from './fold-words.js';

/**
 * Whether `wanted` shows anywhere on the screen, as a whole text or a part of one, also in texts that belong to no element. Case, and the
 * ways to write punctuation and letters (foldWords), do not matter.
 */
export function showsText(texts: readonly TextSpot[], wanted: string): boolean {
  const lower = wanted.toLocaleLowerCase('en');
  if (texts.some(({ text }) => text.toLocaleLowerCase('en').includes(lower))) return true;
  const folded = foldWords(wanted) ?? '';
  return folded !== '' && texts.some(({ text }) => foldWords(text)?.includes(folded) === true);
}
