import MiniSearch from 'minisearch';
import { fillSlots } from '../../gateway/slots.js';
import { DEFAULT_TEXTS } from '../document/whole-document.js';
import type { Entry } from './entries.js';
import { INDEX_OPTIONS } from './ranking.js';

/** Longest excerpt of an entry's text in results, characters. The whole text is indexed. */
const MAX_EXCERPT_CHARS = 160;

/**
 * Returns the index of the entries, as JSON that `MiniSearch.loadJSONAsync` reads with `INDEX_OPTIONS`. Excerpts keep the slots of the
 * texts. The indexed text has the defaults in these slots, as with an operator who has set nothing.
 */
export function buildIndex(entries: readonly Entry[]): string {
  const index = new MiniSearch(INDEX_OPTIONS);
  entries.forEach(({ text, ...entry }, id) =>
    index.add({ ...entry, id, text: fillSlots(text, DEFAULT_TEXTS), excerpt: excerptOf(text) }),
  );
  return JSON.stringify(index);
}

/** The beginning of a text, up to the end of a word. */
function excerptOf(text: string): string {
  if (text.length <= MAX_EXCERPT_CHARS) return text;
  return `${text.slice(0, MAX_EXCERPT_CHARS).replace(/\W*\s\S*$/, '')} …`;
}
