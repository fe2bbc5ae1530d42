import { area, intersection, type Rectangle } from '../shapes/rectangle.js';
import type { UiNode, UiTree } from '../shapes/ui-node.js';

/** A node that is on the screen, at least in part. */
export interface VisibleNode {
  node: UiNode;
  /** The part of the node that is on the screen and not under an edge-to-edge bar. */
  bounds: Rectangle;
  /** Nearest visible ancestor. */
  parent: VisibleNode | undefined;
  /** Visible children, in reading order. */
  children: VisibleNode[];
}

/** A node counts as covered when a node above it lies over this share of it. */
const COVERED_SHARE = 0.9;

/** Most siblings that are checked as covers of other nodes. The largest are taken. A usual screen has about ten such siblings. */
const MAX_COVERS = 100;

/**
 * Returns the nodes that a person sees. Nodes that are off-screen or empty are left out; their children may still show. A node that a later
 * sibling covers is left out too, if the sibling takes touches, as a tap would never reach the node. Where such a sibling is a bar over one
 * end of the node, the rest of the node stays. A sibling that takes no touches may be a transparent frame around a floating button, so it
 * covers nothing.
 */
export function visibleNodes(tree: UiTree, screen: { width: number; height: number }): VisibleNode[] {
  const whole: Rectangle = { x: 0, y: 0, width: screen.width, height: screen.height };
  const roots: VisibleNode[] = [];
  const waiting: { nodes: UiNode[]; parent: VisibleNode | undefined; into: VisibleNode[]; clip: Rectangle }[] = [
    { nodes: tree.roots, parent: undefined, into: roots, clip: whole },
  ];
  const lists: VisibleNode[][] = [roots];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { parent, into } = next;
    const above = coversAmong(next.nodes);
    for (const node of next.nodes) {
      const covers = coversOf(node, above);
      if (covers.some((cover) => isCovered(boundsOf(node), cover))) continue;
      const clip = covers.reduce((rest, cover) => besideBar(rest, boundsOf(node), cover), next.clip);
      const bounds = intersection(clip, boundsOf(node));
      if (area(bounds) === 0) {
        if (node.children.length > 0) waiting.push({ nodes: node.children, parent, into, clip });
        continue;
      }
      const visible: VisibleNode = { node, bounds, parent, children: [] };
      into.push(visible);
      if (node.children.length === 0) continue;
      lists.push(visible.children);
      waiting.push({ nodes: node.children, parent: visible, into: visible.children, clip });
    }
  }
  for (const list of lists) sortForReading(list);
  return roots;
}

function boundsOf({ left, top, right, bottom }: UiNode): Rectangle {
  return { x: left, y: top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
}

/** A sibling that takes touches. One with a higher order is drawn later. */
interface Cover {
  bounds: Rectangle;
  order: number;
}

function coversAmong(siblings: readonly UiNode[]): Cover[] {
  if (siblings.length === 1) return [];
  const covers = siblings
    .filter(({ clickable, scrollable }) => clickable || scrollable)
    .map((node): Cover => ({ bounds: boundsOf(node), order: node.drawingOrder ?? 0 }));
  if (covers.length <= MAX_COVERS) return covers;
  return covers.sort((one, other) => area(other.bounds) - area(one.bounds)).slice(0, MAX_COVERS);
}

/** Returns the places of siblings that are drawn above a node and take touches. */
function coversOf({ drawingOrder: order }: UiNode, above: readonly Cover[]): Rectangle[] {
  if (order === undefined) return [];
  return above.filter((cover) => cover.order > order).map(({ bounds }) => bounds);
}

function isCovered(bounds: Rectangle, cover: Rectangle): boolean {
  return area(bounds) > 0 && area(intersection(bounds, cover)) >= area(bounds) * COVERED_SHARE;
}

/** Returns the part of `clip` that stays visible when `cover` lies over one end of a node, from edge to edge. Other covers change nothing. */
function besideBar(clip: Rectangle, bounds: Rectangle, cover: Rectangle): Rectangle {
  const common = intersection(bounds, cover);
  if (area(common) === 0) return clip;
  let [left, top, right, bottom] = [clip.x, clip.y, clip.x + clip.width, clip.y + clip.height];
  const [endX, endY] = [bounds.x + bounds.width, bounds.y + bounds.height];
  const [commonEndX, commonEndY] = [common.x + common.width, common.y + common.height];
  if (common.width === bounds.width) {
    if (commonEndY === endY) bottom = Math.min(bottom, common.y);
    else if (common.y === bounds.y) top = Math.max(top, commonEndY);
  } else if (common.height === bounds.height) {
    if (commonEndX === endX) right = Math.min(right, common.x);
    else if (common.x === bounds.x) left = Math.max(left, commonEndX);
  }
  return { x: left, y: top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
}

/**
 * Sorts siblings from top to bottom, and from left to right within a line. A node belongs to a line when its middle is above the highest
 * bottom in the line. The bottom of the first node does not decide, as that may be a background of full size. Only siblings are sorted, so
 * that the nodes of a group stay together.
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
