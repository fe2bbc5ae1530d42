import type { DumpNode } from './framework-dumps.js';

// The nodes of a dump that a person sees, and those that a touch may reach. They are computed independently of the product, which is under
// test.

/**
 * Returns the row whose state a node shows. The node can be checked, but takes no tap itself. The row takes the tap, and has no second node
 * of this kind.
 */
export function stateOf(node: DumpNode): DumpNode | undefined {
  const onlyShows = ({ is, className }: DumpNode): boolean =>
    is.has('checkable') && !is.has('clickable') && !is.has('long-clickable') && isControl(className);
  if (!onlyShows(node)) return undefined;
  let row = node.parent;
  while (row !== undefined && !row.is.has('clickable') && !row.is.has('long-clickable')) {
    if (row.is.has('scrollable')) return undefined;
    row = row.parent;
  }
  if (row === undefined || wordsOf(row).length > 0) return undefined;
  return below(row).filter(onlyShows).length === 1 ? row : undefined;
}

function isControl(className: string): boolean {
  return /(Switch|ToggleButton|CheckBox|CheckedTextView|RadioButton)$/.test(className);
}

function below(node: DumpNode): DumpNode[] {
  return node.children.flatMap((child) => [child, ...below(child)]);
}

type Box = Pick<DumpNode, 'left' | 'top' | 'right' | 'bottom'>;

/**
 * Whether a part of a node is on the screen. False where nine tenths of it, or of one of its containers, are under a node that is drawn
 * later and takes touches.
 */
export function isSeen(node: DumpNode): boolean {
  const part = openPart(node);
  if (part.right <= part.left || part.bottom <= part.top) return false;
  return coversOf(node).every(([under, cover]) => {
    const width = Math.min(under.right, cover.right) - Math.max(under.left, cover.left);
    const height = Math.min(under.bottom, cover.bottom) - Math.max(under.top, cover.top);
    const whole = (under.right - under.left) * (under.bottom - under.top);
    return width <= 0 || height <= 0 || width * height < whole * 0.9;
  });
}

/**
 * Returns pairs. The first of a pair is the node or one of its containers. The second is a sibling of the first that is drawn later and
 * takes touches.
 */
function coversOf(node: DumpNode): [under: DumpNode, cover: DumpNode][] {
  const pairs: [DumpNode, DumpNode][] = [];
  for (let up: DumpNode | undefined = node; up !== undefined; up = up.parent) {
    const under = up;
    const isAbove = ({ order, is }: DumpNode): boolean =>
      (order ?? 0) > (under.order ?? Infinity) && (is.has('clickable') || is.has('scrollable'));
    pairs.push(...(under.parent?.children ?? []).filter(isAbove).map((cover): [DumpNode, DumpNode] => [under, cover]));
  }
  return pairs;
}

/**
 * Returns the part of a node that is not under bars. A bar lies over one end of the node, or of one of its containers, from edge to edge.
 */
export function openPart(node: DumpNode): Box {
  let { left, top, right, bottom } = node;
  for (const [under, cover] of coversOf(node)) {
    if (cover.left <= under.left && cover.right >= under.right) {
      if (cover.top < under.bottom && cover.bottom >= under.bottom) bottom = Math.min(bottom, cover.top);
      else if (cover.bottom > under.top && cover.top <= under.top) top = Math.max(top, cover.bottom);
    } else if (cover.top <= under.top && cover.bottom >= under.bottom) {
      if (cover.left < under.right && cover.right >= under.right) right = Math.min(right, cover.left);
      else if (cover.right > under.left && cover.left <= under.left) left = Math.max(left, cover.right);
    }
  }
  return { left, top, right, bottom };
}

/** Returns the words that a person sees. The text of a password field is never listed. */
export function wordsOf({ text, description, hint, is }: DumpNode): string[] {
  return [is.has('password') ? '' : text, description, hint].filter((words) => words !== '');
}

/** Returns the nodes that may get a touch at a point. */
export function touchedAt([root]: readonly DumpNode[], x: number, y: number): DumpNode[] {
  return root === undefined ? [] : touched(root, x, y);
}

/**
 * Returns the nodes that may get a touch. Android gives it to the top child that wants it, and to the container only without such a child.
 * Where a dump does not have the order of drawing, each of the children may be on top.
 */
function touched(node: DumpNode, x: number, y: number): DumpNode[] {
  if (x < node.left || x >= node.right || y < node.top || y >= node.bottom) return [];
  const found: DumpNode[] = [];
  for (const child of [...node.children].sort((a, b) => (b.order ?? 0) - (a.order ?? 0))) {
    const hit = touched(child, x, y);
    found.push(...hit);
    if (hit.length > 0 && child.order !== undefined) break;
  }
  if (found.length > 0) return found;
  return node.is.has('clickable') || node.is.has('long-clickable') || node.is.has('scrollable') ? [node] : [];
}
