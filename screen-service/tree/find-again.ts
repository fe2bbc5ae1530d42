import { clockWentOn } from './clock-text.js';
import type { ScreenContent, ScreenElement } from './elements.js';
import { beside, type Landmark } from './landmarks.js';
import { area, centerOf, intersection } from './rectangle.js';

/** The time between two readings of a screen, and what is known to have changed it. */
export interface Between {
  passedMs: number;
  /** Text was typed, so that the contents of fields may differ. */
  typed: boolean;
}

/** The number in the name of a tab or folder that counts its content: "Chats, 3 new messages", "Inbox (12)". */
const COUNT = /(?<=, |\()\d{1,4}\+?(?=\)| |$)/g;

/** A number alone, on something that takes a tap. */
const BADGE = /^\d{1,4}\+?$/;

/** A list that was moved must have kept this share of its landmarks, and at least this many, to be known as the same. */
const KEPT_SHARE = 0.5;
const KEPT_LEAST = 2;

/** The keyboard covers at most the part of the screen below this share of its height. */
const KEYBOARD_TOP = 0.5;

/** Finds elements of one reading of a window in a later one. */
export interface SameThings {
  /** The element that is the same thing; undefined: it is gone, or it may be another one. */
  find(seen: ScreenElement): ScreenElement | undefined;
}

/**
 * Compares two readings of one window. An element is the same thing only where what surrounds it is what surrounded it:
 *
 * - All texts beside lists are the same, in the same order, as are class, resource id and selection. Only clocks went on, numbers of
 *   badges changed, and rows that take a tap have the same first text and may have other ones.
 * - Each list shows the same, or was moved as a whole: what is left of it has the same order without gaps.
 * - The element has the same words, and the same words are beside it and in its part of the screen. In a list that was moved it must have
 *   been, and must be, the only one of which that is true.
 *
 * A page of the same window with another heading, a row whose title begins alike, and one of several equal rows of a list that was moved
 * are thus not found: to press nothing is better than to press something else.
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
      // The status bar and the keyboard are in some trees, and belong to no app.
      if (!packages.has(packageName)) packages.set(packageName, matchPackage(packageName, before, now, between));
      const other = packages.get(packageName)?.find(at);
      const element = other === undefined ? undefined : now.landmarks[other]?.element;
      return element === undefined ? undefined : now.elements[element];
    },
  };
}

interface Matches {
  /** The index in the later landmarks of the one that is the same as that at `at` in the earlier ones. */
  find(at: number): number | undefined;
}

/** Undefined: the page, or one of its lists, is another one. */
function matchPackage(
  packageName: string,
  before: ScreenContent,
  now: ScreenContent,
  between: Between,
): Matches | undefined {
  const [earlier, later] = [new Side(before, packageName), new Side(now, packageName)];
  const lists = new Map<string, MatchedList>();
  for (const list of new Set([...earlier.lists.keys(), ...later.lists.keys()])) {
    const matched = matchList(list, [earlier, later], between);
    if (matched === undefined) return undefined;
    lists.set(list, matched);
  }
  return {
    find: (at) => {
      const list = before.landmarks[at]?.list ?? '';
      const { from, to, offsets, isWhole } = lists.get(list) ?? NO_LIST;
      const [offset, another] = offsets;
      const index = from.indexOf(at);
      if (offset === undefined || index < 0) return undefined;
      const other = to[index + offset];
      if (other === undefined || another !== undefined) return undefined;
      const [a, b] = [earlier.all[at], later.all[other]];
      if (a === undefined || b === undefined || !isSameThing(a, b, between)) return undefined;
      const free = { clocks: list === '', counts: list === '' };
      const hasPart = a.within !== undefined && b.within !== undefined;
      if (!sameWords(earlier.around(at, hasPart), later.around(other, hasPart), free, between)) return undefined;
      return isWhole || (earlier.isAlone(at) && later.isAlone(other)) ? other : undefined;
    },
  };
}

/** A list in both readings, as indexes of landmarks. */
interface MatchedList {
  from: readonly number[];
  to: readonly number[];
  /** By how much it may have been moved, in landmarks. */
  offsets: readonly number[];
  /** It shows the same. */
  isWhole: boolean;
}

const NO_LIST: MatchedList = { from: [], to: [], offsets: [], isWhole: false };

/** Undefined: it shows something else. */
function matchList(list: string, sides: readonly [Side, Side], between: Between): MatchedList | undefined {
  const [earlier, later] = sides;
  let [from, to] = [earlier.lists.get(list) ?? [], later.lists.get(list) ?? []];
  if (list === '') [from, to] = [withoutCovered(from, earlier, later), withoutCovered(to, later, earlier)];
  if (from.length === to.length && agree(from, to, 0, sides, between) !== undefined)
    return { from, to, offsets: [0], isWhole: true };
  if (list === '') return undefined;
  [from, to] = [earlier.withoutEnds(from), later.withoutEnds(to)];
  const offsets = offsetsOf(from, to, sides, between);
  return offsets.length === 0 ? undefined : { from, to, offsets, isWhole: false };
}

/** The landmarks of one app in one reading. */
class Side {
  readonly all: readonly Landmark[];
  /** Indexes of the landmarks of each list, and of those beside the lists (''). */
  readonly lists = new Map<string, number[]>();
  readonly hasFocus: boolean;
  readonly #names = new Map<number, string>();
  /** A number for each text, so that a name does not contain the texts of a whole list. */
  readonly #numbers = new Map<string, number>();

  constructor({ landmarks }: ScreenContent, packageName: string) {
    this.all = landmarks;
    landmarks.forEach((landmark, at) => {
      if (landmark.packageName !== packageName || isBadge(landmark)) return;
      this.lists.set(landmark.list, [...(this.lists.get(landmark.list) ?? []), at]);
    });
    this.hasFocus = landmarks.some(({ isField, isFocused }) => isField && isFocused);
  }

  /** Without what lies at the ends of a list, where it may be cut off, and what is inside of that. */
  withoutEnds(indexes: readonly number[]): number[] {
    const ends = indexes.flatMap((at) => (this.all[at]?.isAtEnd === true ? [this.all[at].bounds] : []));
    return indexes.filter((at) => {
      const bounds = this.all[at]?.bounds;
      return bounds !== undefined && !ends.some((end) => area(intersection(end, bounds)) === area(bounds));
    });
  }

  /** The words of what surrounds one: in its row, and in its part of the screen, unless only the row is to count. */
  around(at: number, withPart = true): string[] {
    const landmark = this.all[at];
    const [first, end] = (withPart ? landmark?.within : undefined) ?? [at, at];
    const within = this.all.slice(first, end).filter((_, index) => first + index !== at);
    const all = new Set([...within, ...beside(this.all, at)]);
    return [...all].filter((other) => !isBadge(other)).flatMap(({ words }) => words);
  }

  /** One's own facts together with what surrounds it. */
  nameOf(at: number): string {
    let name = this.#names.get(at);
    if (name === undefined) {
      const { kind = '', words = [] } = this.all[at] ?? {};
      const numbers = [[kind], words, this.around(at)].map((texts) => texts.map((text) => this.#numberOf(text)).join());
      name = numbers.join(' ');
      this.#names.set(at, name);
    }
    return name;
  }

  #numberOf(text: string): number {
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    return number;
  }

  /** Whether its list has no other one with the same facts and surroundings. */
  isAlone(at: number): boolean {
    const all = this.lists.get(this.all[at]?.list ?? '') ?? [];
    return all.every((other) => other === at || this.nameOf(other) !== this.nameOf(at));
  }

  /** Whether it is the first text of the element that it is folded into, which names that. */
  isTitle(at: number): boolean {
    const { row, words } = this.all[at] ?? {};
    if (row === undefined || words?.length === 0) return true;
    return this.all.findIndex((other) => other.row === row && other.words.length > 0) === at;
  }
}

/** A number on an icon or a tab, outside of lists, in which numbers name things. */
function isBadge({ list, row, words, kind }: Landmark): boolean {
  const [only, another] = words;
  if (only === undefined || another !== undefined || list !== '' || row === undefined) return false;
  return BADGE.test(only) && !/Button/.test(kind);
}

/** Without what is missing on the side on which a field has the focus, as the keyboard may cover it there. */
function withoutCovered(indexes: readonly number[], side: Side, other: Side): number[] {
  if (!other.hasFocus) return [...indexes];
  const height = Math.max(...side.all.map(({ bounds }) => bounds.y + bounds.height), 0);
  const names = new Set(other.all.map(factsOf));
  return indexes.filter((at) => {
    const landmark = side.all[at];
    if (landmark === undefined) return false;
    return centerOf(landmark.bounds).y < height * KEYBOARD_TOP || names.has(factsOf(landmark));
  });
}

function factsOf({ kind, words }: Landmark): string {
  return JSON.stringify([kind, words]);
}

/** By how much a list may have been moved, in landmarks; none: it shows something else. */
function offsetsOf(
  from: readonly number[],
  to: readonly number[],
  sides: readonly [Side, Side],
  between: Between,
): number[] {
  const least = Math.min(from.length, to.length) * KEPT_SHARE;
  const all = Array.from({ length: Math.max(0, from.length + to.length - 1) }, (_, at) => at + 1 - from.length);
  return all.filter((offset) => {
    const kept = agree(from, to, offset, sides, between);
    return kept !== undefined && kept.texts >= KEPT_LEAST && kept.landmarks >= least;
  });
}

/** How much of a list is left after it was moved by an offset; undefined: something in it is another thing then. */
function agree(
  from: readonly number[],
  to: readonly number[],
  offset: number,
  [earlier, later]: readonly [Side, Side],
  between: Between,
): { landmarks: number; texts: number } | undefined {
  const first = Math.max(0, -offset);
  const end = Math.min(from.length, to.length - offset);
  let texts = 0;
  for (let at = first; at < end; at++) {
    const [a, b] = [from[at], to[at + offset]];
    if (a === undefined || b === undefined || !isLike(earlier, a, later, b, between)) return undefined;
    if ((earlier.all[a]?.words.length ?? 0) > 0) texts++;
  }
  return { landmarks: end - first, texts };
}

/** Whether one landmark can be another one, as a part of what surrounds the target. */
function isLike(earlier: Side, at: number, later: Side, other: number, between: Between): boolean {
  const [a, b] = [earlier.all[at], later.all[other]];
  if (a === undefined || b === undefined || a.kind !== b.kind || a.isSelected !== b.isSelected) return false;
  // Some fields show their hint only while they are empty.
  if (a.isField && between.typed) return true;
  if (a.content === b.content && sameWords(a.words, b.words, { clocks: true, counts: hasCount(a) }, between))
    return true;
  return a.row !== undefined && b.row !== undefined && !earlier.isTitle(at) && !later.isTitle(other);
}

/** Whether a landmark is the target itself. Its own selection and content may have changed. */
function isSameThing(a: Landmark, b: Landmark, between: Between): boolean {
  if (a.isField && between.typed) return a.kind === b.kind;
  return a.kind === b.kind && sameWords(a.words, b.words, { clocks: a.list === '', counts: hasCount(a) }, between);
}

/** Whether a number in its words may be a count: of a tab, but not of a row or a heading, which numbers name. */
function hasCount({ isUsable, list }: Landmark): boolean {
  return isUsable && list === '';
}

/** Whether words are the same, apart from clocks that went on and from counts where these are allowed. */
function sameWords(
  before: readonly string[],
  now: readonly string[],
  { clocks, counts }: { clocks: boolean; counts: boolean },
  { passedMs }: Between,
): boolean {
  return (
    before.length === now.length &&
    before.every((words, at) => {
      const other = now[at] ?? '';
      if (words === other) return true;
      if (counts && words.replaceAll(COUNT, '#') === other.replaceAll(COUNT, '#')) return true;
      return clocks && clockWentOn(words, other, passedMs);
    })
  );
}
