import { BadDump, readAttributes, tokenize } from './tokenize.js';
import type { UiNode, UiTree } from '../shapes/ui-node.js';

/** Greatest depth of a tree. Real screens rarely have more than 60 levels; a deeper dump is likely an attempt to exhaust the stack. */
const MAX_DEPTH = 500;

const DETAILS = ['hint', 'drawing-order'];

/** Most nodes of a tree. A long web page has about a tenth of them. */
const MAX_NODES = 20_000;

export interface ParseOptions {
  /** Whether to leave out hints and drawing order. Dumps of Android 14 and older have neither. */
  plain?: boolean;
}

/**
 * Reads the `<hierarchy>` of a dump, or of a source from the UiAutomator2 server. It has the nodes of one or more windows. Tags of a source
 * have the names of classes. A source has further attributes, and leaves out those without a value. Throws BadDump.
 */
export function parseDump(xml: string, { plain = false }: ParseOptions = {}): UiTree {
  const tree: UiTree = { rotation: 0, roots: [] };
  const open: UiNode[] = [];
  let nodes = 0;
  let ended = false;
  for (const token of tokenize(xml)) {
    if (token.kind === 'close') {
      if (token.name === 'hierarchy') ended = true;
      else if (open.pop() === undefined) throw new BadDump('its tags do not match');
      continue;
    }
    if (token.name === 'hierarchy') {
      const rotation = Number(readAttributes(token.attributes).get('rotation') ?? 0);
      tree.rotation = rotation === 1 || rotation === 2 || rotation === 3 ? rotation : 0;
      ended = token.empty;
      continue;
    }
    if (++nodes > MAX_NODES) throw new BadDump(`it has more than ${MAX_NODES} nodes`);
    if (open.length >= MAX_DEPTH) throw new BadDump(`it is more than ${MAX_DEPTH} nodes deep`);
    const attributes = readAttributes(token.attributes);
    if (plain) for (const name of DETAILS) attributes.delete(name);
    const node = toNode(token.name, attributes);
    (open.at(-1)?.children ?? tree.roots).push(node);
    if (!token.empty) open.push(node);
  }
  if (!ended || open.length > 0) throw new BadDump('it ends too early');
  return tree;
}

/** Makes a node of a tag. Some dumpers name the tag after the class, instead of writing `node class=…`. */
function toNode(tag: string, attributes: Map<string, string>): UiNode {
  const text = (name: string): string => attributes.get(name) ?? '';
  const flag = (name: string): boolean => attributes.get(name) === 'true';
  const bounds = /^\[(-?\d{1,6}),(-?\d{1,6})\]\[(-?\d{1,6}),(-?\d{1,6})\]$/.exec(text('bounds'));
  const [left = 0, top = 0, right = 0, bottom = 0] = bounds?.slice(1).map(Number) ?? [];
  const order = attributes.get('drawing-order');
  return {
    className: attributes.get('class') ?? (tag === 'node' ? '' : tag),
    packageName: text('package'),
    resourceId: text('resource-id'),
    text: text('text'),
    description: text('content-desc'),
    hint: text('hint'),
    left,
    top,
    right,
    bottom,
    checkable: flag('checkable'),
    checked: flag('checked'),
    clickable: flag('clickable'),
    enabled: attributes.get('enabled') !== 'false',
    focusable: flag('focusable'),
    focused: flag('focused'),
    scrollable: flag('scrollable'),
    longClickable: flag('long-clickable'),
    password: flag('password'),
    selected: flag('selected'),
    drawingOrder: order !== undefined && /^\d{1,9}$/.test(order) ? Number(order) : undefined,
    children: [],
  };
}
