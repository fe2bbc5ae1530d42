import type { LinearPattern } from '../../../patterns/linear-pattern.js';
import { detached } from './cells.js';
import type { Patterns } from './patterns.js';
import type { Steps } from './steps.js';
import type { Turns } from './turns.js';

/** The most fields that a text may have. */
export const MAX_FIELDS = 200_000;

/**
 * Cuts a text into fields. The separator " " cuts at blanks, and "" cuts after each character. Any other separator is one character or a
 * regular expression.
 */
export function* cutFields(
  text: string,
  separator: string | LinearPattern,
  { patterns, turns, linesToo = false }: { patterns: Patterns; turns: Turns; linesToo?: boolean },
): Steps<string[]> {
  if (text === '') return [];
  if (turns.isDue(text.length)) yield* turns.give();
  if (separator === ' ') return bounded(text.split(/[ \t\n]+/).filter((field) => field !== ''));
  if (separator === '') return bounded(Array.from(text));
  if (typeof separator === 'string' && separator.length === 1 && !linesToo) return bounded(text.split(separator));
  const source = typeof separator === 'string' && /^\W$/.test(separator) ? `\\${separator}` : separator;
  const pattern = typeof source === 'string' ? patterns.of(linesToo ? `(${source})|\n` : source) : source;
  const fields: string[] = [];
  let from = 0;
  for (const { start, end } of pattern.each(text)) {
    if (turns.isDue(text.length - start)) yield* turns.give();
    if (end === start) continue;
    fields.push(detached(text.slice(from, start), text));
    if (fields.length > MAX_FIELDS) throw new RangeError('too many fields');
    from = end;
  }
  fields.push(text.slice(from));
  return fields;
}

function bounded(fields: string[]): string[] {
  if (fields.length > MAX_FIELDS) throw new RangeError('too many fields');
  return fields;
}
