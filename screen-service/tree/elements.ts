import { type Landmark, LandmarkCollector } from './landmarks.js';
import { type Rectangle, area } from '../shapes/rectangle.js';
import { roleOf, type Role } from './role.js';
import type { UiTree } from '../shapes/ui-node.js';
import { type VisibleNode, visibleNodes } from './visible-nodes.js';

/** Something to see or use on the screen (Element in observation.proto). */
export interface ScreenElement {
  /**
   * e1, e2, ... in reading order. In a caller's observations, an element keeps the id that it had in the observation before (see keepIds).
   */
  id: string;
  role: Role;
  text: string;
  label: string;
  /** Every text by which the element can be found, each once: its own texts, the texts folded into it, and its whole label. */
  words: readonly string[];
  resourceId: string;
  className: string;
  bounds: Rectangle;
  states: ElementState[];
}

export type ElementState =
  | 'clickable'
  | 'long_clickable'
  | 'editable'
  | 'checkable'
  | 'checked'
  | 'selected'
  | 'disabled'
  | 'focused'
  | 'scrollable'
  | 'password';

/** Text somewhere on the screen, also where it was folded into a larger element. */
export interface TextSpot {
  text: string;
  bounds: Rectangle;
  /** Whether a typed secret was left out of it. Absent: false. */
  hidesSecret?: true;
}

export interface ScreenContent {
  elements: ScreenElement[];
  /** The texts in reading order. */
  texts: TextSpot[];
  /** The landmarks in the order of the tree, by which an element is found again. */
  landmarks: readonly Landmark[];
  /** The places of pictures of apps, as on the cards of the overview. */
  appPictures: readonly Rectangle[];
  /** Whether there were more elements than are listed. */
  truncated: boolean;
  /** Whether there is almost nothing to see or use. */
  empty: boolean;
  rotation: number;
}

/** Most elements of a screen; more would be too much for agents. A screen that has more is a list, whose rest is reached by scrolling. */
export const MAX_ELEMENTS = 300;

/**
 * Rows and cards take in the text they hold. A node larger than this share of the screen is a page, and its texts are elements of their
 * own.
 */
const ROW_SHARE = 0.5;

/** Resource ids of the pictures of apps in Android's overviews: Launcher3 and those made of it, and SystemUI before Android 9. */
const APP_PICTURE = /:id\/(snapshot|task_view_thumbnail|task_thumbnail)$/;

/** The longest joined label, characters. A text that would make the label longer stays an element of its own. */
const MAX_JOINED = 500;

/**
 * Returns the elements of a tree: nodes with text, a label or a state to act on. Layout containers are folded away.
 *
 * A clickable container without a text of its own gets the joined text of its contents as its label, and that text is not repeated. Some
 * rows, such as those of settings, hold a switch, box or radio button that takes no tap itself. Such a row gets the role and state of that
 * control. Children that can be acted on by themselves stay elements.
 */
export function elementsOf(tree: UiTree, screen: { width: number; height: number }): ScreenContent {
  const roots = visibleNodes(tree, screen);
  const screenArea = area({ x: 0, y: 0, ...screen });
  const absorbed = absorbTexts(roots, screenArea);
  const collector = new LandmarkCollector(screenArea);
  const indexes = new Map<VisibleNode, number>();
  const elements: ScreenElement[] = [];
  const texts: TextSpot[] = [];
  const appPictures: Rectangle[] = [];
  let truncated = false;
  for (const visible of preorder(roots)) {
    const { node } = visible;
    const { text, label } = wordsOf(visible);
    const ownWords = [...shownWords(visible)];
    const hides = node.hidesSecret === true && { hidesSecret: true as const };
    for (const words of ownWords) texts.push({ text: words, bounds: visible.bounds, ...hides });
    if (APP_PICTURE.test(node.resourceId)) appPictures.push(visible.bounds);
    const row = rowOf(visible, screenArea);
    const folded = { words: ownWords, row: row && indexes.get(row) };
    if (absorbed.hidden.has(visible)) {
      if (ownWords.length > 0) collector.add(visible, { ...folded, isField: false, element: undefined });
      continue;
    }
    const control = absorbed.controls.get(visible)?.node ?? node;
    const role = roleOf(control);
    const states = statesOf(visible, role, control);
    const joined = absorbed.labels.get(visible) ?? '';
    const named = text !== '' || label !== '' || joined !== '';
    if (!named && !states.some(isAction) && !meansSomethingBare(visible, role)) continue;
    if (elements.length === MAX_ELEMENTS) {
      truncated = true;
      continue;
    }
    indexes.set(visible, elements.length);
    collector.add(visible, { ...folded, isField: states.includes('editable'), element: elements.length });
    const shownLabel = label === '' ? joined : label;
    const own = [...ownWords, ...(absorbed.words.get(visible) ?? [])];
    elements.push({
      id: `e${elements.length + 1}`,
      role,
      text,
      label: shownLabel,
      words: [...new Set([...own, ...(shownLabel === '' ? [] : [shownLabel])])],
      resourceId: node.resourceId,
      className: node.className,
      bounds: visible.bounds,
      states,
    });
  }
  const landmarks = collector.finish();
  const empty = !elements.some(meansSomething);
  return { elements, texts, landmarks, appPictures, truncated, empty, rotation: tree.rotation };
}

/**
 * Whether a node is an element although it has no words and no action. Such nodes are spinners, sliders, and web pages that cannot be read.
 */
function meansSomethingBare({ node, children }: VisibleNode, role: Role): boolean {
  if (role === 'webview') return children.length === 0;
  return role === 'progress' || (role === 'slider' && node.focusable);
}

function* preorder(roots: readonly VisibleNode[]): Generator<VisibleNode, void, undefined> {
  const waiting = [...roots].reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next;
    for (let at = next.children.length - 1; at >= 0; at--) {
      const child = next.children[at];
      if (child !== undefined) waiting.push(child);
    }
  }
}

/**
 * Returns a node's text, and its content description and hint as one label. A description or hint that only repeats the text is left out,
 * also where the case differs, as buttons have their text in capitals. A password's text is left out, even as bullets, which show its
 * length.
 */
function wordsOf(visible: VisibleNode): { text: string; label: string } {
  const { description, hint } = visible.node;
  const text = textOf(visible);
  const labels = [description, hint].filter(
    (words, at, all) => words !== '' && !sameLetters(words, text) && all.indexOf(words) === at,
  );
  return { text, label: labels.join(', ') };
}

function sameLetters(a: string, b: string): boolean {
  return a.toLocaleLowerCase('en') === b.toLocaleLowerCase('en');
}

function textOf({ node }: VisibleNode): string {
  if (node.password) return '';
  // An empty field shows its hint, and some dumpers call that its text.
  return isEditable(node.className) && node.text === node.hint ? '' : node.text;
}

/** Returns all texts of a node by which it can be found, each once. */
function shownWords(visible: VisibleNode): Set<string> {
  const { description, hint } = visible.node;
  return new Set([textOf(visible), description, hint].filter((words) => words !== ''));
}

/**
 * Finds the containers that take in the texts and the one control below them. Finds also the nodes that are folded into these containers.
 */
function absorbTexts(roots: readonly VisibleNode[], screenArea: number) {
  const labels = new Map<VisibleNode, string>();
  const folded = new Map<VisibleNode, Set<string>>();
  const hidden = new Set<VisibleNode>();
  const rows = controlsOfRows(roots, screenArea);
  const controls = new Map([...rows].map(([row, control]) => [control, row]));
  const fold = (visible: VisibleNode, row: VisibleNode): void => {
    hidden.add(visible);
    const words = folded.get(row) ?? new Set();
    for (const one of shownWords(visible)) words.add(one);
    folded.set(row, words);
  };
  for (const visible of preorder(roots)) {
    const controlled = controls.get(visible);
    if (controlled !== undefined && roleOf(visible.node) === 'switch') {
      // The text of the control is its state, which the row has.
      fold(visible, controlled);
      continue;
    }
    if (controlled === undefined && !isPlainText(visible)) continue;
    const row = controlled ?? rowOf(visible, screenArea);
    if (row === undefined) continue;
    const { text, label } = wordsOf(visible);
    const own = wordsOf(row);
    const words = [text, label].filter((one, at, all) => one !== '' && !all[1 - at]?.includes(one));
    if (own.text !== '' || own.label !== '') {
      // The row has words of its own; only texts that repeat them are folded into it.
      if (words.every((one) => own.text.includes(one) || own.label.includes(one))) fold(visible, row);
      continue;
    }
    const joined = labels.get(row) ?? '';
    // An icon often repeats the words beside it.
    const added = words.filter((one) => folded.get(row)?.has(one) !== true);
    const longer = [joined, ...added].filter((one) => one !== '').join(', ');
    if (longer.length > MAX_JOINED) continue;
    labels.set(row, longer);
    fold(visible, row);
  }
  return { labels, words: folded, hidden, controls: rows };
}

const CONTROLS: ReadonlySet<Role> = new Set(['checkbox', 'switch', 'radio']);

/**
 * Finds the control of each row that has no words of its own, but takes the tap for the only control in it. The control shows the state of
 * the row.
 */
function controlsOfRows(roots: readonly VisibleNode[], screenArea: number): Map<VisibleNode, VisibleNode> {
  const found = new Map<VisibleNode, VisibleNode[]>();
  for (const visible of preorder(roots)) {
    const { checkable, clickable, longClickable } = visible.node;
    if (!checkable || clickable || longClickable || !CONTROLS.has(roleOf(visible.node))) continue;
    const row = rowOf(visible, screenArea);
    if (row !== undefined && !row.node.checkable && shownWords(row).size === 0)
      found.set(row, [...(found.get(row) ?? []), visible]);
  }
  const alone = new Map<VisibleNode, VisibleNode>();
  for (const [row, [control, ...others]] of found) if (control && others.length === 0) alone.set(row, control);
  return alone;
}

function isPlainText(visible: VisibleNode): boolean {
  const { text, label } = wordsOf(visible);
  if (text === '' && label === '') return false;
  const role = roleOf(visible.node);
  if (role === 'textfield' || role === 'slider' || role === 'progress' || role === 'webview') return false;
  return !statesOf(visible, role).some(isAction);
}

/** Returns the nearest ancestor that takes the tap, when it is a row, card or button and not a page. */
function rowOf(visible: VisibleNode, screenArea: number): VisibleNode | undefined {
  for (let at = visible.parent; at !== undefined; at = at.parent) {
    // A combobox scrolls through its values; the text in it is the chosen one.
    if (at.node.scrollable && roleOf(at.node) !== 'combobox') return undefined;
    if (at.node.clickable || at.node.longClickable) {
      return area(at.bounds) <= screenArea * ROW_SHARE ? at : undefined;
    }
  }
  return undefined;
}

/** Whether a node is a field that takes text. */
export function isEditable(className: string): boolean {
  return /(EditText|AutoCompleteTextView|SearchAutoComplete)$/.test(className);
}

/** Returns the states of a node; `control` is the node that is checked or not. */
function statesOf({ node }: VisibleNode, role: Role, control = node): ElementState[] {
  const states: ElementState[] = [];
  if (node.clickable) states.push('clickable');
  if (node.longClickable) states.push('long_clickable');
  if (role === 'textfield') states.push('editable');
  if (control.checkable) states.push('checkable');
  if (control.checked) states.push('checked');
  if (node.selected) states.push('selected');
  if (!node.enabled) states.push('disabled');
  if (node.focused) states.push('focused');
  if (node.scrollable) states.push('scrollable');
  if (node.password) states.push('password');
  return states;
}

function isAction(state: ElementState): boolean {
  return (
    state === 'clickable' ||
    state === 'long_clickable' ||
    state === 'editable' ||
    state === 'checkable' ||
    state === 'scrollable'
  );
}

/** Whether an element takes input. */
export function isUsable({ states }: ScreenElement): boolean {
  return states.some(isAction);
}

/** Whether an element is more than a bare list or spinner, which a screen has while it has nothing to show yet. */
function meansSomething({ role, text, label, states }: ScreenElement): boolean {
  if (text !== '' || label !== '') return role !== 'progress';
  return role !== 'progress' && role !== 'list' && states.some((state) => isAction(state) && state !== 'scrollable');
}
