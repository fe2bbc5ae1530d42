import { area, centerOf, type Rectangle } from './rectangle.js';
import { type VisibleNode } from './visible-nodes.js';

/** One thing on the screen, as a part of what surrounds another one: an element, or a text that is folded into one. */
export interface Landmark {
  /** Class and resource id. */
  kind: string;
  packageName: string;
  /** Every text of its own, without the content of a field. */
  words: readonly string[];
  /** The content of a field; empty for anything else. */
  content: string;
  isField: boolean;
  isFocused: boolean;
  isSelected: boolean;
  bounds: Rectangle;
  /** Name of the list that contains the element; lists with the same name in two trees are the same list. Empty: it is in no list. */
  list: string;
  /** The element lies at an end of its list, which may cut the element off. */
  isAtEnd: boolean;
  /** It takes the tap itself. */
  isUsable: boolean;
  /** Index of the element that it is folded into. */
  row: number | undefined;
  /** Index of its element; undefined: it is folded into another one. */
  element: number | undefined;
  /** Indexes, [from, to), of the landmarks of the smallest part of the screen that holds it and another text. Undefined: there is none. */
  within: readonly [number, number] | undefined;
}

/** A part that scrolls is one of its own from this share of the screen on; a smaller one moves with what surrounds it. */
const LIST_SHARE = 0.25;

/** Texts folded into elements are compared up to this many landmarks: three for each of the most elements, and no page has more. */
const LANDMARKS_MOST = 1_000;

/** A larger part of the screen is a page, and no part of it. */
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
    if (element === undefined && this.landmarks.length >= LANDMARKS_MOST) return;
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
    for (let at = visible.parent; at !== undefined; at = at.parent) {
      if (at.node.scrollable && area(at.bounds) >= this.#screenArea * LIST_SHARE) return at;
    }
    return undefined;
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

  /** The landmarks below each node. They follow each other, as the nodes come in the order of the tree. */
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

/** A list that is not much lower than wide scrolls up and down. */
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

/** The landmarks in the same row of the screen, and of the same scrolling part, as the one at an index. */
export function beside(landmarks: readonly Landmark[], at: number): Landmark[] {
  const one = landmarks[at];
  if (one === undefined) return [];
  const { y } = centerOf(one.bounds);
  return landmarks.filter(
    ({ bounds, list }, index) => index !== at && list === one.list && bounds.y <= y && y < bounds.y + bounds.height,
  );
}
