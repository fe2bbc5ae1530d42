import { elementsOf, type ScreenContent, type ScreenElement } from '../tree/elements.js';
import { sameThings } from '../tree/find-again.js';
import type { UiNode } from '../shapes/ui-node.js';
import type { Between } from '../tree/what-may-differ.js';
import { between } from './between.js';
import type { Screen, Try } from './screen-families.js';
import { TREE_SCREEN } from './ui-trees.js';

/** The outcome for one thing of an earlier screen. */
export interface PressOutcome extends Try {
  name: string;
  found: ScreenElement | undefined;
  /** Whether its id names the same thing on the later screen. */
  isRight: boolean;
  /** Whether its id names something else. False where both screens look the same and nobody acted. */
  isWrong: boolean;
  /** Whether it is on the later screen. */
  isThere: boolean;
}

/** Looks for each thing of the earlier screen on the later one. */
export function outcomesOf(one: Try): PressOutcome[] {
  const [before, now] = [contentOf(one.before), contentOf(one.now)];
  const lies = betweenOf(one, before);
  const looksTheSame = lies.acted
    ? false
    : JSON.stringify({ ...before, texts: [] }) === JSON.stringify({ ...now, texts: [] });
  const same = sameThings(before, now, lies);
  return [...one.before.places].flatMap(([name, place]) => {
    const seen = before.elements.find((element) => isAt(element, place));
    if (seen === undefined) return [];
    const [found, right] = [same.find(seen), one.now.places.get(name)];
    const isRight = found !== undefined && right !== undefined && isAt(found, right);
    const isWrong = found !== undefined && !isRight && !looksTheSame;
    return [{ ...one, name, found, isRight, isWrong, isThere: right !== undefined }];
  });
}

function betweenOf(
  { passedMs, timesS, pressed, typed = [], strokes = [], before }: Try,
  content: ScreenContent,
): Between {
  const elementOf = (name: string): ScreenElement[] => {
    const place = before.places.get(name);
    return place === undefined ? [] : content.elements.filter((element) => isAt(element, place));
  };
  const own = pressed && { typed, pressed: pressed.flatMap(elementOf), strokes };
  return between({ passedMs, timesS, own, acted: own !== undefined });
}

function contentOf({ tree }: Screen): ScreenContent {
  return elementsOf(tree, TREE_SCREEN);
}

/** Whether an element is a node, or what is left of the node where its top or bottom is cut off. */
function isAt({ bounds: { x, y, width, height } }: ScreenElement, { left, top, right, bottom }: UiNode): boolean {
  const isTop = y === top || (y > top && y + height === bottom);
  const isBottom = y + height === bottom || (y === top && y + height < bottom);
  return x === left && x + width === right && isTop && isBottom;
}
