import { elementLine } from './element-line.js';
import type { ScreenElement, TextSpot } from './elements.js';
import { centerOf } from '../shapes/rectangle.js';

/** The length of a neighbouring text's beginning that is shown, characters. */
const MAX_SHOWN_CHARS = 60;

/** Most texts that are tried beside an element, and most that are tried above it. */
const MAX_TRIED = 5;

/**
 * Returns the lines of elements. A line that equals another one, except for id and place, ends with a text near its element. That is a text
 * in the element's row, else one above the element, such as a heading. No element with an equal line may have that text at the same rank.
 */
export function tellApart(elements: readonly ScreenElement[], texts: readonly TextSpot[]): string[] {
  const names = elements.map((element) =>
    elementLine({ ...element, id: '', bounds: { x: 0, y: 0, width: 0, height: 0 } }),
  );
  const near = elements.map((element, at) =>
    names.some((name, other) => other !== at && name === names[at]) ? neighbours(element, texts) : [],
  );
  return elements.map((element, at) => {
    const isOwn = (hint: string, rank: number): boolean =>
      hint !== '' && !near.some((others, other) => other !== at && names[other] === names[at] && others[rank] === hint);
    const hint = near[at]?.find(isOwn);
    return hint === undefined ? elementLine(element) : `${elementLine(element)} (${hint})`;
  });
}

/** Returns the texts near an element, the nearest first: those in its row, then those above it. Ranks without a text are empty. */
function neighbours({ bounds, words }: ScreenElement, texts: readonly TextSpot[]): string[] {
  const { x, y } = centerOf(bounds);
  const others = texts.filter(({ text }) => !words.includes(text));
  const inRow = others.filter((spot) => spot.bounds.y <= y && y < spot.bounds.y + spot.bounds.height);
  const above = others.filter((spot) => spot.bounds.y + spot.bounds.height <= bounds.y);
  return [
    ...nearest(inRow, (spot) => Math.abs(centerOf(spot.bounds).x - x), 'beside'),
    ...nearest(above, (spot) => bounds.y - spot.bounds.y - spot.bounds.height, 'below'),
  ];
}

function nearest(spots: readonly TextSpot[], distance: (spot: TextSpot) => number, where: string): string[] {
  const sorted = [...spots].sort((one, other) => distance(one) - distance(other)).slice(0, MAX_TRIED);
  const shown = sorted.map(({ text }) => `${where} ${JSON.stringify(cut(text))}`);
  return [...shown, ...Array<string>(MAX_TRIED - shown.length).fill('')];
}

function cut(text: string): string {
  // The text is not cut in the middle of a character.
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS).replace(/[\ud800-\udbff]$/, '')}…` : text;
}
