import { area, intersection, type Rectangle } from './rectangle.js';
import type { UiNode, UiTree } from './ui-node.js';

/** A node of which something is on the screen. */
export interface VisibleNode {
  node: UiNode;
  /** The part of it that is on the screen. */
  bounds: Rectangle;
  /** Nearest visible ancestor. */
  parent: VisibleNode | undefined;
  /** In reading order. */
  children: VisibleNode[];
}

/** From this share on a node counts as covered by one above it. */
const COVERED_SHARE = 0.9;

/**
 * The nodes that a person sees: off-screen and empty ones left out (their children may still show), also those that lie under a
 * sibling drawn later which takes touches, as a tap on them would never reach them. One that takes no touches may be a
 * transparent frame around a floating button, so it covers nothing.
 */
export function visibleNodes(tree: UiTree, screen: { width: number; height: number }): VisibleNode[] {
  const whole: Rectangle = { x: 0, y: 0, width: screen.width, height: screen.height };
  const roots: VisibleNode[] = [];
  const waiting: { nodes: UiNode[]; parent: VisibleNode | undefined; into: VisibleNode[] }[] = [
    { nodes: tree.roots, parent: undefined, into: roots },
  ];
  const lists: VisibleNode[][] = [roots];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { parent, into } = next;
    for (const node of uncovered(next.nodes)) {
      const bounds = intersection(whole, boundsOf(node));
      if (area(bounds) === 0) {
        if (node.children.length > 0) waiting.push({ nodes: node.children, parent, into });
        continue;
      }
      const visible: VisibleNode = { node, bounds, parent, children: [] };
      into.push(visible);
      if (node.children.length === 0) continue;
      lists.push(visible.children);
      waiting.push({ nodes: node.children, parent: visible, into: visible.children });
    }
  }
  for (const list of lists) sortForReading(list);
  return roots;
}

function boundsOf({ left, top, right, bottom }: UiNode): Rectangle {
  return { x: left, y: top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
}

function uncovered(siblings: UiNode[]): UiNode[] {
  const covers = siblings.filter((node) => node.drawingOrder !== undefined && (node.clickable || node.scrollable));
  if (covers.length === 0 || siblings.length === 1) return siblings;
  return siblings.filter((node) => {
    const order = node.drawingOrder;
    if (order === undefined) return true;
    const bounds = boundsOf(node);
    const wholeArea = area(bounds);
    return !covers.some(
      (cover) =>
        cover !== node &&
        (cover.drawingOrder ?? 0) > order &&
        wholeArea > 0 &&
        area(intersection(bounds, boundsOf(cover))) >= wholeArea * COVERED_SHARE,
    );
  });
}

/**
 * Sorts top to bottom, and left to right within a line. A node belongs to a line when its middle is above the bottom of each in
 * it: of the smallest, as a background of full size may come first. Siblings only: what belongs together stays together.
 */
function sortForReading(nodes: VisibleNode[]): void {
  if (nodes.length < 2) return;
  nodes.sort((a, b) => a.bounds.y - b.bounds.y || a.bounds.x - b.bounds.x);
  const lines: VisibleNode[][] = [];
  let bottom = -Infinity;
  for (const node of nodes) {
    const { y, height } = node.bounds;
    if (y + height / 2 < bottom) {
      lines.at(-1)?.push(node);
      bottom = Math.min(bottom, y + height);
    } else {
      lines.push([node]);
      bottom = y + height;
    }
  }
  nodes.splice(0, nodes.length, ...lines.flatMap((line) => line.sort((a, b) => a.bounds.x - b.bounds.x)));
}
