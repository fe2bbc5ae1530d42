import { attributesOf, childrenOf, type DumpOptions, HEADER, quoted } from './dump-xml.js';
import type { Rect } from './geometry.js';
import type { VisibleView } from './visible-views.js';

/** The attributes, in the order in which the server writes them. The attributes of `OPTIONAL` are left out when they have no value. */
const ATTRIBUTES = ['index', 'package', 'class', 'text', 'content-desc', 'resource-id', 'checkable', 'checked', 'clickable', 'enabled', 'focusable', 'focused', 'long-clickable', 'password', 'scrollable', 'selected', 'bounds', 'displayed', 'hint', 'a11y-important', 'screenReaderFocusable', 'drawing-order', 'showing-hint', 'text-entry-key', 'dismissable', 'a11y-focused', 'heading', 'live-region', 'context-clickable', 'content-invalid']; // prettier-ignore
const OPTIONAL = new Set(['content-desc', 'resource-id', 'hint']);

/** Attributes whose value is the same for each view of this phone. */
export const FIXED: Readonly<Record<string, string>> = {
  displayed: 'true',
  'a11y-important': 'true',
  screenReaderFocusable: 'false',
  'showing-hint': 'false',
  'text-entry-key': 'false',
  dismissable: 'false',
  'a11y-focused': 'false',
  heading: 'false',
  'live-region': '0',
  'context-clickable': 'false',
  'content-invalid': 'false',
};

/** Writes the tree as Appium's UiAutomator2 server writes its source. Each tag has the name of a class, and a line of its own. */
export function sourceXml(options: DumpOptions & { width: number; height: number }): string {
  const { rotation, width, height, toast } = options;
  const lines = [HEADER];
  lines.push(
    `<hierarchy index="0" class="hierarchy" rotation="${rotation}" width="${width}" height="${height}">`,
    ...nodeLines(options, options.root, options.clip, 0, 1, '  '),
  );
  // The message has no bounds, as the server knows its text but not its place.
  if (toast) lines.push(`  <android.widget.Toast text=${quoted(toast.text)} class="android.widget.Toast" package="com.android.settings" displayed="true" index="1" />`); // prettier-ignore
  return `${lines.join('\n')}\n</hierarchy>`;
}

function nodeLines(
  options: DumpOptions,
  node: VisibleView,
  clip: Rect,
  index: number,
  order: number,
  indent: string,
): string[] {
  const dumped = new Map(attributesOf(node, options, index, order));
  const tag = tagOf(dumped.get('class') ?? '');
  const attributes = ATTRIBUTES.flatMap((name) => {
    const value = dumped.get(name) ?? FIXED[name] ?? '';
    return value === '' && OPTIONAL.has(name) ? [] : [`${name}=${quoted(value)}`];
  }).join(' ');
  const children = childrenOf(node, options, clip);
  if (children.length === 0) return [`${indent}<${tag} ${attributes} />`];
  const inner = node.view.clips ? node.shown : clip;
  return [
    `${indent}<${tag} ${attributes}>`,
    ...children.flatMap((child) => nodeLines(options, child.node, inner, child.index, child.order, `${indent}  `)),
    `${indent}</${tag}>`,
  ];
}

/** Returns a class name as a tag; inner classes have a dot in place of `$`. */
function tagOf(className: string): string {
  const name = className.replace(/[$@#&]/g, '.').replace(/\.+/g, '.').replace(/^\.|\.$/g, ''); // prettier-ignore
  return name === '' ? 'android.view.View' : name;
}
