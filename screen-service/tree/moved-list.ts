import type { Landmark } from './landmarks.js';
import type { ReadingSide } from './reading-side.js';

/** A list in both readings, as indexes of landmarks. */
export interface MatchedList {
  from: readonly number[];
  to: readonly number[];
  /** How far the list was moved, in landmarks. Undefined: more than one move explains what the list shows. */
  offset: number | undefined;
  /** Whether the list shows the same in both readings, so that it most likely was not moved. */
  isWhole: boolean;
}

/** A list counts as moved only if this share of its landmarks, and at least this many texts, are in both readings. */
const KEPT_SHARE = 0.5;
const MIN_KEPT = 2;

/** Whether two landmarks can be the same thing. */
export type Agrees = (from: number, to: number) => boolean;

/**
 * Matches a list that was moved as a whole: the landmarks that both readings show have the same order without gaps. Undefined: the list
 * shows something else.
 *
 * Every move that leaves at least one row in both readings is tried. Rows that repeat, such as days of the week, may have been moved in two
 * ways; then neither way counts.
 */
export function matchMoved(
  [earlier, later]: readonly [ReadingSide, ReadingSide],
  [all, allLater]: readonly [readonly number[], readonly number[]],
  agrees: Agrees,
): MatchedList | undefined {
  const [from, to] = [earlier.withoutEnds(all), later.withoutEnds(allLater)];
  const least = Math.min(from.length, to.length) * KEPT_SHARE;
  const ways = waysOf([earlier, later], [from, to], agrees);
  const good = ways.filter(({ landmarks, texts }) => texts >= MIN_KEPT && landmarks >= least);
  const [one, another] = good;
  if (one === undefined) return undefined;
  // The rows at the ends may be cut off or whole, so the ways are counted without them and with them.
  const isCertain = [ways, waysOf([earlier, later], [all, allLater], agrees)].every(
    (some) => some.filter(({ hasName }) => hasName).length <= 1,
  );
  return { from, to, offset: isCertain && another === undefined ? one.offset : undefined, isWhole: false };
}

/** A way in which a list may have been moved, and the landmarks that are then in both readings. */
interface Way {
  offset: number;
  landmarks: number;
  texts: number;
  /** Whether one of the texts names its row. */
  hasName: boolean;
}

function waysOf(
  [earlier, later]: readonly [ReadingSide, ReadingSide],
  [from, to]: readonly [readonly number[], readonly number[]],
  agrees: Agrees,
): Way[] {
  const names = namesIn(earlier.of(from), later.of(to));
  const ways: Way[] = [];
  for (let offset = 1 - from.length; offset < to.length; offset++) {
    const kept = keptAt(offset, [from, to], agrees);
    if (kept === undefined) continue;
    const texts = earlier.of(kept).filter(({ words }) => words.length > 0);
    const hasName = texts.some(({ words }) => names.has(words.join()));
    ways.push({ offset, landmarks: kept.length, texts: texts.length, hasName });
  }
  return ways;
}

/** Returns the landmarks of a list that are left after it was moved by an offset. Undefined: one of them would be another thing. */
function keptAt(
  offset: number,
  [from, to]: readonly [readonly number[], readonly number[]],
  agrees: Agrees,
): number[] | undefined {
  const first = Math.max(0, -offset);
  const end = Math.min(from.length, to.length - offset);
  for (let at = first; at < end; at++) {
    const [a, b] = [from[at], to[at + offset]];
    if (a === undefined || b === undefined || !agrees(a, b)) return undefined;
  }
  return from.slice(first, end);
}

/** The most frequent words of a reading name no row if at least this many landmarks have them. They are in every row, as "Delete" is. */
const MIN_COMMON = 3;

/** Returns the words that name rows, of either reading. */
function namesIn(...readings: readonly (readonly Landmark[])[]): Set<string> {
  const names = new Set<string>();
  for (const landmarks of readings) {
    const counts = new Map<string, number>();
    for (const { words } of landmarks)
      if (words.length > 0) counts.set(words.join(), (counts.get(words.join()) ?? 0) + 1);
    const most = Math.max(...counts.values());
    for (const [words, count] of counts) if (count < MIN_COMMON || count < most) names.add(words);
  }
  return names;
}
