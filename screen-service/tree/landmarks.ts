import { area, centerOf, type Rectangle } from '../shapes/rectangle.js';
import { type VisibleNode } from './visible-nodes.js';

/** An element, or a text that is folded into an element. Landmarks are the surroundings by which another element is found again. */
export interface Landmark {
  /** Class and resource id. */
  kind: string;
  packageName: string;
  /** Each of its own texts, without the content of a field. */
  words: readonly string[];
  /** The content of a field; empty for anything else. */
  content: string;
  isField: boolean;
  isFocused: boolean;
  isSelected: boolean;
  bounds: Rectangle;
  /** Name of the list that contains the element; lists with the same name in two trees are the same list. Empty: it is in no list. */
  list: string;
  /** The nearest container that scrolls, however small. Undefined: no container scrolls the element. */
  scroller: Rectangle | undefined;
  /** Whether the element lies at one end of its list, which may cut the element off. False where it lies at both ends. */
  isAtEnd: boolean;
  /** Whether it takes the tap itself. */
  isUsable: boolean;
  /** Index of the element that it is folded into. */
  row: number | undefined;
  /** Index of the landmark's own element. Undefined: the landmark is a text that is folded into an element. */
  element: number | undefined;
  /**
   * The landmarks in the smallest part of the screen that holds this one and another with words, as indexes [from, to). Undefined: there is
   * no such part.
   */
  within: readonly [number, number] | undefined;
}

/** A part that scrolls counts as a list from this share of the screen on; a smaller one moves with its surroundings. */
const LIST_SHARE = 0.25;

/**
 * No text that is folded into an element is collected after this many landmarks. That is enough, as no page has more than three landmarks
 * for each element. Elements are always collected.
 */
const MAX_LANDMARKS = 1_000;

/** A part of the screen that is larger than this share of it is a page. */
const PART_SHARE = 0.5;

/** Collects the landmarks of a tree, in the order of its nodes. */
export class LandmarkCollector {
  readonly landmarks: Landmark[] = [];
  readonly #screenArea: number;
  readonly #nodes: VisibleNode[] = [];
  readonly #lists = new Map<VisibleNode, string>();
  readonly #listsOfKind = new Map<string, number>();

  constructor(screenArea: number) {
    this.#screenArea = screenArea;
  }

  add(
    visible: VisibleNode,
    { words, isField, element, row }: Pick<Landmark, 'words' | 'isField' | 'element' | 'row'>,
  ): void {
    if (element === undefined && this.landmarks.length >= MAX_LANDMARKS) return;
    const { node, bounds } = visible;
    const list = this.#listOf(visible);
    const content = isField && !node.password ? node.text : '';
    this.#nodes.push(visible);
    this.landmarks.push({
      kind: kindOf(visible),
      packageName: node.packageName,
      words: isField ? [node.description, node.hint].filter((one) => one !== '') : words,
      content,
      isField,
      isFocused: node.focused,
      isSelected: node.selected,
      bounds,
      list: list === undefined ? '' : this.#nameOf(list),
      scroller: scrollerOf(visible)?.bounds,
      isAtEnd: list !== undefined && isAtEnd(bounds, list.bounds),
      isUsable: node.clickable || node.longClickable,
      row,
      element,
      within: undefined,
    });
  }

  /** Returns the landmarks once all are added. */
  finish(): Landmark[] {
    const spans = this.#spans();
    return this.landmarks.map((landmark, at) => ({ ...landmark, within: this.#within(at, spans) }));
  }

  #listOf(visible: VisibleNode): VisibleNode | undefined {
    let at = scrollerOf(visible);
    while (at !== undefined && area(at.bounds) < this.#screenArea * LIST_SHARE) at = scrollerOf(at);
    return at;
  }

  #nameOf(list: VisibleNode): string {
    const known = this.#lists.get(list);
    if (known !== undefined) return known;
    const count = (this.#listsOfKind.get(kindOf(list)) ?? 0) + 1;
    this.#listsOfKind.set(kindOf(list), count);
    const name = `${kindOf(list)} ${count}`;
    this.#lists.set(list, name);
    return name;
  }

  /** Returns the landmarks below each node. They follow each other, as the nodes come in the order of the tree. */
  #spans(): Map<VisibleNode, [number, number]> {
    const spans = new Map<VisibleNode, [number, number]>();
    this.#nodes.forEach((visible, at) => {
      for (let up: VisibleNode | undefined = visible; up !== undefined; up = up.parent) {
        const span = spans.get(up);
        if (span === undefined) spans.set(up, [at, at + 1]);
        else span[1] = at + 1;
      }
    });
    return spans;
  }

  #within(at: number, spans: ReadonlyMap<VisibleNode, [number, number]>): [number, number] | undefined {
    for (let up = this.#nodes[at]?.parent; up !== undefined; up = up.parent) {
      const isPage = up.parent?.node.scrollable === true && up.parent.children.length === 1;
      if (isPage || up.node.scrollable || area(up.bounds) > this.#screenArea * PART_SHARE) return undefined;
      const span = spans.get(up);
      if (span === undefined) continue;
      const others = this.landmarks.slice(...span).filter((_, index) => span[0] + index !== at);
      if (others.some(({ words }) => words.length > 0)) return span;
    }
    return undefined;
  }
}

function scrollerOf(visible: VisibleNode): VisibleNode | undefined {
  let at = visible.parent;
  while (at !== undefined && !at.node.scrollable) at = at.parent;
  return at;
}

/** A list scrolls up and down if its height is at least this share of its width. */
const UPRIGHT_SHARE = 0.4;

function isAtEnd(one: Rectangle, list: Rectangle): boolean {
  const isUpright = list.height >= list.width * UPRIGHT_SHARE;
  const [start, end] = isUpright ? [one.y, one.y + one.height] : [one.x, one.x + one.width];
  const [first, last] = isUpright ? [list.y, list.y + list.height] : [list.x, list.x + list.width];
  return start <= first !== end >= last;
}

function kindOf({ node }: VisibleNode): string {
  return `${node.className} ${node.resourceId}`;
}

/** Returns the landmarks in the same row of the screen, and in the same scrolling part, as the one at an index. */
export function beside(landmarks: readonly Landmark[], at: number): Landmark[] {
  const one = landmarks[at];
  if (one === undefined) return [];
  const { y } = centerOf(one.bounds);
  return landmarks.filter(
    ({ bounds, list }, index) => index !== at && list === one.list && bounds.y <= y && y < bounds.y + bounds.height,
  );
}
