// The pages of the reference run this file as a script too, like terms.ts.
import type MiniSearch from 'minisearch';
import type { Options, Query, SearchResult } from 'minisearch';
import type { Entry, EntryKind } from './entries.js';
import { synonymsOf } from './synonyms.js';
import { partsOf, termOf, termsOf, wordsOf } from './terms.js';

/** An entry as it is indexed. */
export interface Indexed extends Entry {
  id: number;
  /** The part of the entry's text that results show. */
  excerpt: string;
}

/** A result, with the terms of the index that the question has found in it. */
export type Found = Pick<Indexed, 'kind' | 'title' | 'about' | 'address' | 'excerpt'> &
  Pick<SearchResult, 'score' | 'terms'>;

/** How entries are indexed, and which of their fields are stored. The index is built and read with the same options. */
export const INDEX_OPTIONS: Options<Indexed> = {
  fields: ['title', 'about', 'text'],
  storeFields: ['kind', 'title', 'about', 'address', 'excerpt'],
  tokenize: wordsOf,
  processTerm: termsOf,
};

/** How much a hit counts by the field that it is in. */
const FIELD_BOOST = { title: 5, about: 2, text: 1 };

/** The weight of a hit on the beginning of a word, or on a misspelt word, relative to a hit on a whole word. */
const WEIGHTS = { prefix: 0.25, fuzzy: 0.2 };

/** The weight of a result by its kind. Whole pages count more than parts of pages. */
const KIND_BOOST: Record<EntryKind, number> = {
  ...{ operation: 1.8, resource: 1.2, guide: 1.7, event: 1 },
  ...{ section: 1, error: 1.2, setting: 0.2, field: 0.3, result: 0.2, inside: 0.4 },
};

/** The weight of a synonym, which the reader did not type, relative to a typed word. */
const SYNONYM_BOOST = 0.5;

/** Most results. */
const MAX_RESULTS = 20;

/** The factor for an entry whose title is exactly the name that the reader typed. */
const NAME_BOOST = 8;

/**
 * Returns what the index has for a question, the best first. If the index has none of the words, words of similar spelling are searched
 * for.
 */
export function find(index: MiniSearch<Indexed>, question: string): Found[] {
  const words = wordsOf(question).filter((word) => termOf(word) !== '');
  if (words.length === 0) return [];
  const exact = search(index, words, false);
  const found = exact.length > 0 ? exact : search(index, words, true);
  const scored = found.map((result) => {
    const covered = words.filter((word) => termsFor(word).some((term) => result.queryTerms.includes(term))).length;
    const nameBoost = isName(question) && result['title'] === question ? NAME_BOOST : 1;
    // The library adds to the score for each matching term, also for synonyms. The division undoes that; the share of the reader's words
    // that match counts instead.
    const score = (result.score / result.queryTerms.length) * (covered / words.length) ** 2 * nameBoost;
    return { ...result, score };
  });
  return scored.sort((a, b) => b.score - a.score).slice(0, MAX_RESULTS) as unknown as Found[];
}

function search(index: MiniSearch<Indexed>, words: readonly string[], isFuzzy: boolean): SearchResult[] {
  return index.search(
    { combineWith: 'OR', queries: words.map((word) => queryOf(word, isFuzzy)) },
    {
      ...{ tokenize: (term) => [term], processTerm: (term) => term, boost: FIELD_BOOST, weights: WEIGHTS },
      boostDocument: (_, __, stored) => KIND_BOOST[stored?.['kind'] as EntryKind],
    },
  );
}

/** Whether a question is a name from code, such as `idle_stop_s` or `PORT`, and no English word. */
function isName(question: string): boolean {
  return /^(?:\w+_\w+|[A-Z][A-Z0-9]+)$/.test(question);
}

/** All terms that stand for a word. */
function termsFor(word: string): string[] {
  return [...termsOf(word), ...synonymsOf(word).map(termOf)];
}

/** Returns the query for one word. It finds the word itself, words that begin with it, its parts together, and its synonyms. */
function queryOf(word: string, isFuzzy: boolean): Query {
  const own = { prefix: (term: string) => term.length > 1, fuzzy: isFuzzy ? 0.25 : false } as const;
  const parts = partsOf(word);
  return {
    combineWith: 'OR',
    queries: [
      { ...own, queries: [termOf(word)] },
      ...(parts.length > 1 ? [{ ...own, combineWith: 'AND' as const, queries: parts.map(termOf) }] : []),
      ...synonymsOf(word).map((synonym) => ({ queries: [termOf(synonym)], boostTerm: () => SYNONYM_BOOST })),
    ],
  };
}
