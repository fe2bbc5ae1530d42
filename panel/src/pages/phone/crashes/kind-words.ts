import type { Crash } from './crashes-query.ts';

const WORDS: Record<Crash['kind'], string> = {
  java: 'Exception',
  native: 'Native crash',
  anr: 'Not responding',
};

/** Returns what happened to an app, for people. */
export function kindWords(kind: Crash['kind']): string {
  return WORDS[kind];
}
