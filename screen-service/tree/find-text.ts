import type { TextSpot } from './elements.js';

/** Whether `wanted` shows anywhere on the screen, in part or whole, in any case; also in texts that belong to no element. */
export function showsText(texts: readonly TextSpot[], wanted: string): boolean {
  const lower = wanted.toLocaleLowerCase('en');
  return texts.some(({ text }) => text.toLocaleLowerCase('en').includes(lower));
}
