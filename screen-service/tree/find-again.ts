import type { ScreenContent, ScreenElement } from './elements.js';
import { type Shown, withoutCovered } from './keyboard-cover.js';
import type { Landmark } from './landmarks.js';
import { type Agrees, matchMoved, type MatchedList } from './moved-list.js';
import { ReadingSide } from './reading-side.js';
import {
  type Between,
  followsStrokes,
  type Freedom,
  isFreeText,
  isSamePage,
  isSameThing,
  maySurround,
  sameBeside,
} from './what-may-differ.js';

/** Finds elements of one reading of a window in a later one. */
export interface SameThings {
  /** Returns the element that is the same thing. Undefined: it is gone, or it may be another thing. */
  find(seen: ScreenElement): ScreenElement | undefined;
}

/**
 * Compares two readings of one window by the rules of what-may-differ.ts. An element is the same thing only when its surroundings are the
 * same. In a list that has moved, or after somebody has acted, it must also be unique in both readings. Pressing nothing is better than
 * pressing another thing.
 */
export function sameThings(before: ScreenContent, now: ScreenContent, between: Between): SameThings {
  const packages = new Map<string, Matches | undefined>();
  return {
    find: (seen) => {
      const index = before.elements.indexOf(seen);
      const at = before.landmarks.findIndex(({ element }) => element === index && index >= 0);
      const landmark = before.landmarks[at];
      if (landmark === undefined) return undefined;
      const { packageName } = landmark;
      // Some trees include the status bar and the keyboard, so elements are matched only within their own package.
      if (!packages.has(packageName)) packages.set(packageName, matchPackage(packageName, before, now, between));
      const other = packages.get(packageName)?.find(at);
      const element = other === undefined ? undefined : now.landmarks[other]?.element;
      return element === undefined ? undefined : now.elements[element];
    },
  };
}

interface Matches {
  /** Returns the index of the later landmark that is the same as the earlier one at `at`. */
  find(at: number): number | undefined;
}

/** Matches the landmarks of one app. Undefined: the page has changed, or one of its lists shows other contents. */
function matchPackage(
  packageName: string,
  before: ScreenContent,
  now: ScreenContent,
  between: Between,
): Matches | undefined {
  const sides = [new ReadingSide(before, packageName), new ReadingSide(now, packageName)] as const;
  const [earlier, later] = sides;
  const pressed = earlier.indexesOf(between.own?.pressed ?? []);
  const lists = new Map<string, MatchedList>();
  for (const list of new Set([...earlier.lists.keys(), ...later.lists.keys()])) {
    const matched = matchList(list, sides, between, pressed);
    if (matched === undefined) return undefined;
    lists.set(list, matched);
  }
  const isSame = (at: number, other: number): boolean => {
    const [a, b] = [earlier.all[at], later.all[other]];
    if (a === undefined || b === undefined || !isSameThing(a, b, between)) return false;
    const hasPart = a.within !== undefined && b.within !== undefined;
    return sameBeside(earlier.around(at, hasPart), later.around(other, hasPart), { pressedBefore: pressed.has(at) });
  };
  return {
    find: (at) => {
      const list = before.landmarks[at]?.list ?? '';
      const { from, to, offset, isWhole } = lists.get(list) ?? NO_LIST;
      if (offset === undefined) return undefined;
      const index = from.indexOf(at);
      const other = index >= 0 ? to[index + offset] : onlyLike(at, sides);
      if (other === undefined || !isSame(at, other)) return undefined;
      const [a, b] = [earlier.all[at], later.all[other]];
      if (a?.scroller === undefined && b?.scroller === undefined) return other;
      // The element is in a list that is too small to be matched as one. If it moved there, nobody can know how far.
      if (list === '' && !samePlaceInside(a, b)) return undefined;
      const isExplained = a !== undefined && b !== undefined && followsStrokes(a, b, between.own?.strokes ?? []);
      // Equal rows that all moved by the same small distance may be other rows, such as those of the next week.
      const isShifted = offset === 0 && a?.scroller?.height === b?.scroller?.height && !samePlaceInside(a, b);
      if (isShifted && (between.own?.strokes ?? []).length === 0) return undefined;
      if (!isExplained && !(earlier.isOnlyOfKind(at) && later.isOnlyOfKind(other))) return undefined;
      // Rows that look alike may have changed places.
      const isCertain = isWhole && !between.acted;
      return isCertain || (earlier.isAlone(at) && later.isAlone(other)) ? other : undefined;
    },
  };
}

const NO_LIST: MatchedList = { from: [], to: [], offset: undefined, isWhole: false };

/** Matches the landmarks of one list. Undefined: the list shows something else. */
function matchList(
  list: string,
  sides: readonly [ReadingSide, ReadingSide],
  between: Between,
  pressed: ReadonlySet<number>,
): MatchedList | undefined {
  const [earlier, later] = sides;
  let [from, to] = [earlier.lists.get(list) ?? [], later.lists.get(list) ?? []];
  if (list === '') [from, to] = withoutHidden([from, to], sides, between);
  const agrees =
    (freedom: Freedom): Agrees =>
    (at, other) => {
      const [a, b] = [earlier.all[at], later.all[other]];
      return a !== undefined && b !== undefined && maySurround(a, b, between, { freedom, isPressed: pressed.has(at) });
    };
  const whole = { from, to, offset: 0, isWhole: true };
  const isUnmoved = list === '' || samePlaces(earlier.of(from), later.of(to));
  const isSame = isUnmoved && agreeAll([from, to], agrees('calm'));
  if (isSame && (list === '' || !between.acted)) return whole;
  const moved = list === '' ? undefined : matchMoved(sides, [from, to], agrees('calm'));
  // After somebody has acted, a list of repeating rows may look the same though it was scrolled by one repetition.
  if (isSame) return moved?.offset === undefined && moved !== undefined ? moved : whole;
  if (moved !== undefined || between.own === undefined) return moved;
  // After an own step of the caller, the number of free texts may differ too.
  const isFree = (side: ReadingSide, at: number): boolean => {
    const landmark = side.all[at];
    return landmark !== undefined && isFreeText(landmark, side.isTitle(at));
  };
  const fixed = [from.filter((at) => !isFree(earlier, at)), to.filter((at) => !isFree(later, at))] as const;
  const texts = [from.filter((at) => isFree(earlier, at)), to.filter((at) => isFree(later, at))] as const;
  const isKept = agreeAll(fixed, agrees('after_own_step')) && isSamePage(earlier.of(texts[0]), later.of(texts[1]));
  return isKept ? { from: fixed[0], to: fixed[1], offset: 0, isWhole: true } : undefined;
}

function samePlaceInside(a: Landmark | undefined, b: Landmark | undefined): boolean {
  if (a?.scroller === undefined || b?.scroller === undefined) return false;
  return (
    a.bounds.x - a.scroller.x === b.bounds.x - b.scroller.x && a.bounds.y - a.scroller.y === b.bounds.y - b.scroller.y
  );
}

function samePlaces(before: readonly Landmark[], now: readonly Landmark[]): boolean {
  return (
    before.length === now.length &&
    before.every(({ bounds: { x, y } }, at) => {
      const other = now[at]?.bounds;
      return x === other?.x && y === other.y;
    })
  );
}

function agreeAll([from, to]: readonly [readonly number[], readonly number[]], agrees: Agrees): boolean {
  return from.length === to.length && from.every((at, index) => agrees(at, to[index] ?? -1));
}

/**
 * Returns the later text in the same list that has the kind and words of an earlier text. It must be the only such text in both readings.
 */
function onlyLike(at: number, [earlier, later]: readonly [ReadingSide, ReadingSide]): number | undefined {
  const one = earlier.all[at];
  if (one === undefined || one.words.length === 0) return undefined;
  const isLike = ({ kind, words }: Landmark): boolean => kind === one.kind && words.join() === one.words.join();
  const among = (side: ReadingSide): number[] =>
    (side.lists.get(one.list) ?? []).filter((other) => side.all[other] !== undefined && isLike(side.all[other]));
  const [[, another], [other, third]] = [among(earlier), among(later)];
  return another === undefined && third === undefined ? other : undefined;
}

/** Leaves out the landmarks that the keyboard hides in the other reading. */
function withoutHidden(
  [from, to]: readonly [number[], number[]],
  [earlier, later]: readonly [ReadingSide, ReadingSide],
  { keyboardMoved }: Between,
): [number[], number[]] {
  const [before, now] = [shownBy(earlier, from), shownBy(later, to)];
  const [shown, shownLater] = withoutCovered(before, now, keyboardMoved);
  if (shown === before.landmarks && shownLater === now.landmarks) return [from, to];
  const among = (all: readonly Landmark[]): ReadonlySet<Landmark | undefined> => new Set(all);
  const [kept, keptLater] = [among(shown), among(shownLater)];
  return [from.filter((at) => kept.has(earlier.all[at])), to.filter((at) => keptLater.has(later.all[at]))];
}

function shownBy(side: ReadingSide, indexes: readonly number[]): Shown {
  return { landmarks: side.of(indexes), bottom: side.bottom, hasFocus: side.hasFocus };
}
