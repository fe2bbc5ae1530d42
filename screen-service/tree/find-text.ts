import type { TextSpot } from './elements.js';

/**
 * Finds `wanted` on the screen. Exact: the whole text is equal, case included. Else a part is enough, in any case, and
 * whole matches come before partial ones; otherwise in reading order.
 */
export function findText(texts: readonly TextSpot[], wanted: string, options: { exact: boolean }): TextSpot[] {
  if (options.exact) return texts.filter(({ text }) => text === wanted);
  const lower = wanted.toLocaleLowerCase('en');
  const rank = ({ text }: TextSpot): number => {
    if (text === wanted) return 0;
    const candidate = text.toLocaleLowerCase('en');
    if (candidate === lower) return 1;
    return candidate.includes(lower) ? 2 : 3;
  };
  return texts
    .map((spot) => ({ spot, rank: rank(spot) }))
    .filter((found) => found.rank < 3)
    .sort((a, b) => a.rank - b.rank)
    .map(({ spot }) => spot);
}

/** Whether `wanted` shows anywhere, in part or whole, in any case. */
export function showsText(texts: readonly TextSpot[], wanted: string): boolean {
  return findText(texts, wanted, { exact: false }).length > 0;
}
