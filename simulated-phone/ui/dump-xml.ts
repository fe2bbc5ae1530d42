import type { Rect } from './geometry.js';
import type { View } from './view.js';
import { isSeen, placedChildren, type VisibleView } from './visible-views.js';

export interface DumpOptions {
  /** The root of the active window. */
  root: VisibleView;
  clip: Rect;
  package: string;
  rotation: number;
  /** px per dp. */
  scale: number;
  nowMs: number;
  /** Whether views that matter only to the layout are left out, so that their children move up. */
  compressed: boolean;
  /** A message above all windows, with its box in dp. */
  toast?: { text: string; box: Rect } | undefined;
}

export const HEADER = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>";

/** Writes a dump as `uiautomator dump` does: Android's own set of attributes, then drawing-order, hint and display-id. */
export function dumpXml(options: DumpOptions): string {
  const parts = [HEADER, `<hierarchy rotation="${options.rotation}">`];
  writeNode(parts, options, options.root, options.clip, 0, 1);
  if (options.toast) parts.push(toastNode(options.toast, options.scale));
  parts.push('</hierarchy>');
  return parts.join('');
}

/**
 * Returns the node of a toast. The node is a root of its own after the root of the window. Automation tools recognize a toast by the
 * class of the node.
 */
function toastNode({ text, box }: NonNullable<DumpOptions['toast']>, scale: number): string {
  const [left, top] = [box.left, box.top].map((dp) => Math.round(dp * scale));
  const [right, bottom] = [box.left + box.width, box.top + box.height].map((dp) => Math.round(dp * scale));
  const states = ['checkable', 'checked', 'clickable', 'enabled', 'focusable', 'focused', 'scrollable', 'long-clickable', 'password', 'selected']; // prettier-ignore
  return (
    `<node index="1" text=${quoted(text)} resource-id="android:id/message" class="android.widget.Toast" ` +
    `package="com.android.systemui" content-desc="" ` +
    `${states.map((name) => `${name}="${name === 'enabled'}"`).join(' ')} ` +
    `bounds="[${left},${top}][${right},${bottom}]" drawing-order="2" hint="" display-id="0" />`
  );
}

/** Classes that may be clickable without a name of their own: the cells of grids have the names. */
const NAF_EXCLUDED = /\.(GridView|GridLayout|ListView|TableLayout)$/;

function writeNode(
  parts: string[],
  options: DumpOptions,
  node: VisibleView,
  clip: Rect,
  index: number,
  order: number,
): void {
  const { view } = node;
  const children = childrenOf(node, options, clip);
  parts.push('<node');
  if (isNameless(view, options.nowMs)) parts.push(' NAF="true"');
  for (const [name, value] of attributesOf(node, options, index, order)) parts.push(' ', name, '=', quoted(value));
  if (children.length === 0) {
    parts.push(' />');
    return;
  }
  parts.push('>');
  const inner = view.clips ? node.shown : clip;
  for (const child of children) writeNode(parts, options, child.node, inner, child.index, child.order);
  parts.push('</node>');
}

interface DumpChild {
  node: VisibleView;
  /** Index among all children, seen or not, as Android counts. */
  index: number;
  order: number;
}

/** Returns the seen children of a view, as they are dumped. */
export function childrenOf(node: VisibleView, options: DumpOptions, clip: Rect): DumpChild[] {
  const inner = node.view.clips ? node.shown : clip;
  const all = placedChildren(node, clip, options.nowMs);
  const seen = all.flatMap((child, index) =>
    isSeen(child, options.nowMs) ? [{ node: child, index, order: index + 1 }] : [],
  );
  if (!options.compressed) return seen;
  const kept = seen.flatMap((child) =>
    matters(child.node.view, options.nowMs) ? [child] : childrenOf(child.node, options, inner),
  );
  return kept.map((child, index) => ({ ...child, index }));
}

function matters(view: View, nowMs: number): boolean {
  if (view.clickable || view.focusable || view.scrollable || view.checkable) return true;
  return view.textAt(nowMs) !== '' || view.description !== '' || view.className === 'android.webkit.WebView';
}

/** Returns the attributes in the order in which uiautomator writes them. */
export function attributesOf(
  node: VisibleView,
  options: DumpOptions,
  index: number,
  order: number,
): [string, string][] {
  const { view, shown } = node;
  const left = Math.round(shown.left * options.scale);
  const top = Math.round(shown.top * options.scale);
  const right = Math.round((shown.left + shown.width) * options.scale);
  const bottom = Math.round((shown.top + shown.height) * options.scale);
  return [
    ['index', String(index)],
    ['text', view.textAt(options.nowMs)],
    ['resource-id', resourceId(view, options.package)],
    ['class', view.className],
    ['package', options.package],
    ['content-desc', view.description],
    ['checkable', String(view.checkable)],
    ['checked', String(view.checked)],
    ['clickable', String(view.clickable)],
    ['enabled', String(view.enabled)],
    ['focusable', String(view.focusable || view.editable)],
    ['focused', String(view.focused)],
    ['scrollable', String(view.scrollable)],
    ['long-clickable', String(view.longClickable)],
    ['password', String(view.password)],
    ['selected', String(view.selected)],
    ['bounds', `[${left},${top}][${right},${bottom}]`],
    ['drawing-order', String(order)],
    ['hint', view.hint],
    ['display-id', '0'],
  ];
}

function resourceId(view: View, packageName: string): string {
  const { id } = view.options;
  if (id === undefined) return '';
  return id.includes(':') ? id : `${packageName}:id/${id}`;
}

function isNameless(view: View, nowMs: number): boolean {
  if (!view.clickable || !view.enabled || NAF_EXCLUDED.test(view.className)) return false;
  return !hasName(view, nowMs);
}

function hasName(view: View, nowMs: number): boolean {
  if (view.textAt(nowMs) !== '' || view.description !== '') return true;
  return view.children.some((child) => child.visible && hasName(child, nowMs));
}

/** Matches characters that XML cannot hold. Android replaces them by a dot before it writes. */
// eslint-disable-next-line no-control-regex -- the expression finds control characters
const FORBIDDEN = /[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufdd0-\ufddf\u0000\ufffe\uffff]/g;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Returns an attribute value as Android's serializer quotes it, by `'` when the value holds a `"`. */
export function quoted(value: string): string {
  const quote = value.includes('"') ? "'" : '"';
  const clean = value.replace(FORBIDDEN, '.').replace(LONE_SURROGATE, '.');
  const escaped = clean.replace(/[&<>\n\r\t"']|[\u{10000}-\u{10ffff}]/gu, (letter) => {
    switch (letter) {
      case '&':
        return '&amp;';
      case '<':
        return '&lt;';
      case '>':
        return '&gt;';
      case '"':
      case "'":
        return letter !== quote ? letter : letter === '"' ? '&quot;' : '&apos;';
      default:
        return `&#${letter.codePointAt(0) ?? 0};`;
    }
  });
  return `${quote}${escaped}${quote}`;
}
