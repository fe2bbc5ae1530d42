import { bytesPerPixel, type Pixels } from '../../phone/screen/pixels.js';
import { isEditable, type ScreenContent } from '../tree/elements.js';
import type { Rectangle } from '../shapes/rectangle.js';
import type { UiNode, UiTree } from '../shapes/ui-node.js';
import { eachNode } from './each-node.js';
import { SearchWork } from './search-work.js';
import type { Secret, TextKind } from './secret.js';
import { mayShow } from './secret-scope.js';
import { SecretFinder } from './secret-spots.js';

/** Stands in the place of each part of a text that shows a secret. Its length does not depend on that part. */
export const HIDDEN = '••••••••';

/**
 * The most work of searching one screen, or one other text, in characters. Each pass over a text costs its characters, and each spot costs
 * the characters around it. The texts of a usual screen have a few thousand characters. Once the work is used up, the remaining texts are
 * hidden as a whole.
 */
export const MAX_SEARCHED_CHARS = 200_000;

/** Returns a text with its secrets hidden. This function is for texts that belong to no app. */
export function hideSecretText(
  text: string,
  secrets: readonly Secret[],
  work: SearchWork = new SearchWork(MAX_SEARCHED_CHARS),
): string {
  return secrets.length === 0 ? text : new Hider(secrets, work).hide(text, '', { isField: false });
}

/**
 * Returns the tree with the secrets in its texts hidden. A secret is hidden only in the apps that may show it. Returns the same tree when
 * there is nothing to hide.
 */
export function hideSecrets(tree: UiTree, secrets: readonly Secret[]): UiTree {
  if (secrets.length === 0) return tree;
  const hider = new Hider(secrets, new SearchWork(MAX_SEARCHED_CHARS));
  const changed = new Map<UiNode, Partial<UiNode>>();
  for (const node of eachNode(tree)) {
    const { packageName, className } = node;
    const hide = (text: string, isField = false): string => hider.hide(text, packageName, { isField });
    const text = hide(node.text, isEditable(className));
    const [description, hint] = [hide(node.description), hide(node.hint)];
    if (text !== node.text || description !== node.description || hint !== node.hint)
      changed.set(node, { text, description, hint, hidesSecret: true });
  }
  return changed.size === 0 ? tree : withChanges(tree, changed);
}

/** Hides secrets in the texts of one screen. */
class Hider {
  readonly #secrets: readonly Secret[];
  readonly #finderOf = new Map<string, SecretFinder>();
  /** The finders, by the secrets that they find. Most apps of a screen may show the same secrets, and so share a finder. */
  readonly #finders = new Map<string, SecretFinder>();
  readonly #work: SearchWork;

  constructor(secrets: readonly Secret[], work: SearchWork) {
    this.#secrets = secrets;
    this.#work = work;
  }

  hide(text: string, app: string, kind: TextKind): string {
    if (text === '') return '';
    const finder = this.#finderFor(app);
    if (finder.isEmpty) return text;
    if (this.#work.isOver) return HIDDEN;
    let shown = '';
    let done = 0;
    for (const { from, to } of finder.find(text, kind, this.#work)) {
      shown += text.slice(done, from) + HIDDEN;
      done = to;
    }
    return shown + text.slice(done);
  }

  #finderFor(app: string): SecretFinder {
    const known = this.#finderOf.get(app);
    if (known !== undefined) return known;
    const shown = this.#secrets.map((secret) => mayShow(secret, app));
    const key = shown.join();
    const finder = this.#finders.get(key) ?? new SecretFinder(this.#secrets.filter((_, at) => shown[at] === true));
    this.#finders.set(key, finder);
    this.#finderOf.set(app, finder);
    return finder;
  }
}

function withChanges(tree: UiTree, changed: ReadonlyMap<UiNode, Partial<UiNode>>): UiTree {
  const roots: UiNode[] = [];
  const waiting: { nodes: readonly UiNode[]; into: UiNode[] }[] = [{ nodes: tree.roots, into: roots }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const node of next.nodes) {
      const children: UiNode[] = [];
      next.into.push({ ...node, ...changed.get(node), children });
      if (node.children.length > 0) waiting.push({ nodes: node.children, into: children });
    }
  }
  return { ...tree, roots };
}

/**
 * Blacks out the texts of `content` that hide a secret, and returns the pixels. `withApps`: pictures of apps, such as the cards of the
 * overview, are blacked out too, because no tree has their content. `withPasswords`: password fields are blacked out too, because Android
 * shows the last letter for a moment. Returns the same pixels when there is nothing to hide.
 */
export function hideSecretPixels(
  pixels: Pixels,
  content: ScreenContent,
  { withApps, withPasswords }: { withApps: boolean; withPasswords: boolean },
): Pixels {
  const spots: Rectangle[] = content.texts
    .filter(({ hidesSecret }) => hidesSecret === true)
    .map(({ bounds }) => bounds);
  if (withApps) spots.push(...content.appPictures);
  if (withPasswords)
    spots.push(...content.elements.filter(({ states }) => states.includes('password')).map(({ bounds }) => bounds));
  if (spots.length === 0) return pixels;
  const data = Buffer.from(pixels.data);
  const pixelBytes = bytesPerPixel[pixels.layout];
  for (const bounds of spots) {
    for (let row = bounds.y; row < Math.min(bounds.y + bounds.height, pixels.height); row++) {
      const start = (row * pixels.width + bounds.x) * pixelBytes;
      data.fill(0, start, start + Math.min(bounds.width, pixels.width - bounds.x) * pixelBytes);
    }
  }
  return { ...pixels, data };
}
