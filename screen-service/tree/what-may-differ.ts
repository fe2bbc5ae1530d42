import { keptTheTime, wentOnAtPace } from './counting-text.js';
import type { ScreenElement } from './elements.js';
import type { Landmark } from './landmarks.js';
import { area, intersection, type Point, type Rectangle } from '../shapes/rectangle.js';
import { roleByClass } from './role.js';
import { isTyped } from './typed-content.js';

// The rules by which an element of an earlier reading is the same thing in a later one. To press something else is worse than to refuse. So
// everything that is not named here must be equal: class, resource id, selection and words of everything in the app's window, in the same
// order.
//
// | What                                  | May differ                                                                             |
// |---------------------------------------|----------------------------------------------------------------------------------------|
// | The target's own words                | never                                                                                  |
// | Its row, and its part of the screen   | never, except a number alone beside a target that the caller has pressed before        |
// | A clock elsewhere                     | `Chronometer`, `TextClock`, the status bar's; a text with the phone's time of day;     |
// |                                       | a text that was seen to count at the pace of time at its place while nobody acted      |
// | The content of a field                | as far as the texts that the caller typed explain the change                           |
// | Everything below the keyboard's edge  | it may be hidden, while the keyboard shows (keyboard-cover.ts)                         |
// | A list                                | may have moved as a whole (moved-list.ts)                                              |
// | Texts elsewhere that take no tap, and | up to a third of them, or one, after a step of the caller, if nobody else acted        |
// | second texts of rows                  |                                                                                        |
// | The element that the caller pressed   | its words, and in a list its selection                                                 |

/** The events between two readings of a screen. */
export interface Between {
  passedMs: number;
  /** Whether somebody sent input to the phone. */
  acted: boolean;
  /** The caller's steps. Undefined: there was none, the steps no longer count, or somebody else acted too. */
  own: OwnSteps | undefined;
  /** Whether the keyboard came or went. Undefined: not known. */
  keyboardMoved: boolean | undefined;
  /** The time of the day by the phone's own clock at both readings, s since midnight. Undefined: not known. */
  timesS: readonly [number, number] | undefined;
  /** Texts that were seen to count. `all`: every text that went on at the pace of time is a counter. */
  counting: readonly Counter[] | 'all';
}

/** A text that was seen to count. A text of the same form elsewhere on the screen, such as a departure below a timer, does not count. */
export interface Counter {
  /** Its class, resource id and words, with the numbers left out. */
  name: string;
  bounds: Rectangle;
}

/** The effects of a caller's steps since its latest observation. */
export interface OwnSteps {
  /** The typed texts, in order. */
  typed: readonly string[];
  /** The pressed elements, which are of the earlier reading. */
  pressed: readonly ScreenElement[];
  /**
   * The farthest that each stroke may have moved a list, px, to the right and down. Undefined: a key moved the list, or the finger was too
   * fast to know.
   */
  strokes: readonly (Point | undefined)[];
}

/** The parts of a target's surroundings that may differ. */
export type Freedom =
  /** Clocks, and fields that were typed into. */
  | 'calm'
  /** Clocks, such fields, and the words of the element that the caller pressed. */
  | 'after_own_step';

const CLOCK_KINDS = /^\S*\b(Chronometer|TextClock) |com\.android\.systemui:id\/clock$/;
const NUMBERS = /\d+(?:[:.,]\d+)*/g;
const NUMBER_ALONE = /^\d{1,4}$/;

/** Whether two landmarks in the surroundings of the target may be the same one, at the two readings. `isPressed`: the caller pressed it. */
export function maySurround(
  a: Landmark,
  b: Landmark,
  between: Between,
  { freedom, isPressed }: { freedom: Freedom; isPressed: boolean },
): boolean {
  const isFree = freedom === 'after_own_step' && isPressed;
  if (a.kind !== b.kind || (a.isSelected !== b.isSelected && !(isFree && a.list !== ''))) return false;
  if (a.isField) return sameField(a, b, between);
  return sameWords(a.words, b.words) || isFree || wentOn(a, b, between);
}

/** Whether two landmarks are the same target at the two readings. The selection of the target may have changed. */
export function isSameThing(a: Landmark, b: Landmark, between: Between): boolean {
  if (a.kind !== b.kind) return false;
  return a.isField ? sameField(a, b, between) : sameWords(a.words, b.words);
}

/**
 * Whether the surroundings beside the target are the same. `pressedBefore`: the caller has pressed the target before. A number beside the
 * target may count the presses.
 */
export function sameBeside(
  before: readonly Landmark[],
  now: readonly Landmark[],
  { pressedBefore }: { pressedBefore: boolean },
): boolean {
  const [from, to] = [before.filter(hasWords), now.filter(hasWords)];
  return (
    from.length === to.length &&
    from.every((a, at) => {
      const b = to[at];
      if (b === undefined) return false;
      return sameWords(a.words, b.words) || (pressedBefore && isNumberAlone(a) && isNumberAlone(b));
    })
  );
}

/**
 * Whether a step may change the words of a landmark that it did not press. Such a landmark is a text that takes no tap, or a second text of
 * a row.
 */
export function isFreeText({ kind, isUsable, isField, row, words }: Landmark, isTitle: boolean): boolean {
  const isControl = isUsable || isField || roleByClass(kind.slice(0, kind.indexOf(' '))) === 'slider';
  return !isControl && words.length > 0 && (row === undefined || !isTitle);
}

/** A page is the same if at most this share of its free texts differs. One text may always differ. */
const CHANGED_SHARE = 1 / 3;

/** Whether only a few free texts differ, so that a step has changed a state and has not led to another page. */
export function isSamePage(before: readonly Landmark[], now: readonly Landmark[]): boolean {
  const left = new Map<string, number>();
  for (const { kind, words } of before) {
    const name = JSON.stringify([kind, words]);
    left.set(name, (left.get(name) ?? 0) + 1);
  }
  let kept = 0;
  for (const { kind, words } of now) {
    const name = JSON.stringify([kind, words]);
    const count = left.get(name) ?? 0;
    if (count === 0) continue;
    left.set(name, count - 1);
    kept++;
  }
  const most = Math.max(before.length, now.length);
  return most - kept <= Math.max(1, Math.floor(most * CHANGED_SHARE));
}

/** Returns the texts that went on at the pace of time. Texts at the same place of the order are compared. */
export function wentOnSince(before: readonly Landmark[], now: readonly Landmark[], passedMs: number): Counter[] {
  if (before.length !== now.length) return [];
  const counters = before.filter((a, at) => {
    const words = now[at]?.words ?? [];
    return !a.isField && a.words.some((before, index) => wentOnAtPace(before, words[index] ?? '', passedMs));
  });
  return counters.map((one) => ({ name: nameOfCounter(one), bounds: one.bounds }));
}

function isOneOf(counting: readonly Counter[], landmark: Landmark): boolean {
  const { bounds } = landmark;
  const there = counting.filter((one) => area(intersection(one.bounds, bounds)) > 0);
  return there.length > 0 && there.some(({ name }) => name === nameOfCounter(landmark));
}

function nameOfCounter({ kind, words }: Landmark): string {
  return JSON.stringify([kind, ...words.map(withoutNumbers)]);
}

function wentOn(a: Landmark, b: Landmark, { passedMs, timesS, counting }: Between): boolean {
  if (a.words.length !== b.words.length) return false;
  const isClock = CLOCK_KINDS.test(a.kind);
  return a.words.every((words, at) => {
    const other = b.words[at] ?? '';
    if (words === other) return true;
    if (isClock) return withoutNumbers(words) === withoutNumbers(other);
    if (timesS !== undefined && keptTheTime(words, other, timesS)) return true;
    return wentOnAtPace(words, other, passedMs) && (counting === 'all' || isOneOf(counting, a));
  });
}

function sameField(a: Landmark, b: Landmark, { own }: Between): boolean {
  if (a.content === b.content) return sameWords(a.words, b.words);
  // Some fields show their hint only while they are empty.
  const sameLabel = sameWords(a.words, b.words) || a.words.length === 0 || b.words.length === 0;
  return sameLabel && own !== undefined && isTyped(a.content, b.content, own.typed);
}

function sameWords(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((words, at) => words === b[at]);
}

function withoutNumbers(words: string): string {
  return words.replaceAll(NUMBERS, '#');
}

function hasWords({ words }: Landmark): boolean {
  return words.length > 0;
}

function isNumberAlone({ words, isUsable, isField, list }: Landmark): boolean {
  return words.length === 1 && NUMBER_ALONE.test(words[0] ?? '') && !isUsable && !isField && list === '';
}

/** A list goes on a little after a stroke. It may move farther by `MORE_SHARE` of the way of the strokes and by `MORE_PX`. */
const MORE_SHARE = 0.1;
const MORE_PX = 48;

/**
 * Whether strokes explain how far an element of a list was moved. A list that repeats its rows may have been moved by one repetition more,
 * which is more than the height of the list. So strokes shorter than the list leave only one explanation.
 */
export function followsStrokes(a: Landmark, b: Landmark, strokes: OwnSteps['strokes']): boolean {
  if (strokes.length === 0) return true;
  const { scroller } = a;
  if (scroller === undefined) return false;
  let [right, down] = [0, 0];
  for (const stroke of strokes) {
    right += stroke?.x ?? NaN;
    down += stroke?.y ?? NaN;
  }
  const isUpright = Math.abs(down) >= Math.abs(right);
  const [way, moved, length] = isUpright
    ? [down, b.bounds.y - a.bounds.y, scroller.height]
    : [right, b.bounds.x - a.bounds.x, scroller.width];
  const most = Math.abs(way) * (1 + MORE_SHARE) + MORE_PX;
  return moved * way >= 0 && Math.abs(moved) <= most && most <= length;
}
