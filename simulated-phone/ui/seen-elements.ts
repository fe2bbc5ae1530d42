import { attributesOf, childrenOf, type DumpOptions } from './dump-xml.js';
import type { Rect } from './geometry.js';
import { FIXED } from './source-xml.js';
import type { VisibleView } from './visible-views.js';

/** A view that shows now, as automation finds it. */
export interface SeenElement {
  /** The view itself: the same object as long as the view is there. */
  view: object;
  /** Positions in the list of the elements around it, the outermost first. */
  ancestors: readonly number[];
  /** The attributes by their names in the source: `text`, `resource-id`, `bounds`. */
  attributes: ReadonlyMap<string, string>;
  /** The part that is on the display, px. */
  box: { x: number; y: number; width: number; height: number };
}

/** Returns the elements of a window in drawing order, parents before their children, with the attributes of the source. */
export function seenElements(options: DumpOptions): SeenElement[] {
  const elements: SeenElement[] = [];
  const add = (node: VisibleView, clip: Rect, index: number, order: number, ancestors: readonly number[]): void => {
    const { left, top, width, height } = node.shown;
    const [x, y, right, bottom] = [left, top, left + width, top + height].map((dp) => Math.round(dp * options.scale)) as [number, number, number, number]; // prettier-ignore
    const attributes = new Map([...Object.entries(FIXED), ...attributesOf(node, options, index, order)]);
    const at = elements.push({ view: node.view, ancestors, attributes, box: { x, y, width: right - x, height: bottom - y } }) - 1; // prettier-ignore
    const inner = node.view.clips ? node.shown : clip;
    for (const child of childrenOf(node, options, clip))
      add(child.node, inner, child.index, child.order, [...ancestors, at]);
  };
  add(options.root, options.clip, 0, 1, []);
  return elements;
}
