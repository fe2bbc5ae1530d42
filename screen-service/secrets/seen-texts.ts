import { LRUCache } from 'lru-cache';
import { isEditable } from '../tree/elements.js';
import type { UiTree } from '../shapes/ui-node.js';
import { eachNode } from './each-node.js';
import { SearchWork } from './search-work.js';
import { NOTHING_BEFORE, type Secret, type ShownBefore } from './secret.js';
import { wordsOf } from './secret-pattern.js';
import { SecretFinder } from './secret-spots.js';
import { folded, shownBefore } from './shown-before.js';

/**
 * The number of characters of texts that is remembered for one phone: some twenty screens. The words of hints and resource ids have the
 * bound below, of their own.
 */
const MAX_CHARS = 24_000;
const MAX_NAME_CHARS = 4_000;

/**
 * The number of characters that the search for the secrets of one call may look at in these texts. Texts beyond it count as not shown
 * before.
 */
const MAX_SEARCHED_CHARS = 200_000;

export function workInSeen(): SearchWork {
  return new SearchWork(MAX_SEARCHED_CHARS);
}

/**
 * The beginning of a longer text is remembered, up to `MAX_TEXT_CHARS` characters. Only the first `MAX_NODES` nodes of a tree are looked
 * at.
 */
const MAX_TEXT_CHARS = 500;
const MAX_NODES = 2_000;

/**
 * Remembers the texts that the screen of one phone has shown lately, without the secrets in them. A text that is seen again later is no
 * secret.
 */
export class SeenTexts {
  readonly #texts = new LRUCache<string, true>({ maxSize: MAX_CHARS, sizeCalculation: (_, text) => text.length });
  readonly #names = new LRUCache<string, true>({
    maxSize: MAX_NAME_CHARS,
    sizeCalculation: (_, name) => name.length,
  });

  /** Adds the texts of a tree from which secrets were hidden. */
  add(tree: UiTree): void {
    let count = 0;
    for (const node of eachNode(tree)) {
      if (++count > MAX_NODES) return;
      if (node.hidesSecret === true) continue;
      // The content of a password field is never remembered. The content of the focused field may be the beginning of a secret.
      const isOwn = !node.password && !(isEditable(node.className) && node.focused);
      for (const text of [isOwn ? node.text : '', node.description, node.hint]) this.#addText(text);
      for (const text of [node.hint, node.resourceId.slice(node.resourceId.indexOf('/') + 1)]) this.#addNames(text);
    }
  }

  /** The number of characters that are remembered. */
  get characters(): number {
    return this.#texts.calculatedSize + this.#names.calculatedSize;
  }

  /** Returns the texts that the screen showed before and that look like `secret`. Call it before `secret` is typed. */
  before(secret: string, work: SearchWork): ShownBefore {
    const finder = new SecretFinder([{ text: secret, apps: new Set(), before: NOTHING_BEFORE } satisfies Secret]);
    return shownBefore(secret, this.#texts.keys(), [...this.#names.keys()], (text) =>
      work.isOver ? [] : (finder.spots(text, { isField: false }, work) ?? []),
    );
  }

  #addText(text: string): void {
    if (text.trim() === '') return;
    const cut = text.slice(0, MAX_TEXT_CHARS);
    // The text is copied, as a part of a dump keeps the whole dump in memory.
    if (this.#texts.get(cut) === undefined) this.#texts.set(Buffer.from(cut).toString(), true);
  }

  #addNames(text: string): void {
    for (const word of wordsOf(text.slice(0, MAX_TEXT_CHARS).replaceAll(/(?<=[a-z])(?=[A-Z])|_/g, ' '))) {
      const name = folded(word);
      if (this.#names.get(name) === undefined) this.#names.set(Buffer.from(name).toString(), true);
    }
  }
}
