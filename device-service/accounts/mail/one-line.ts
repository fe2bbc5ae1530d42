import { MAX_TEXT_CHARS } from './limits.js';

/** Returns a text on one line, without control characters, and cut to a bound, so that it cannot add lines to a mail or a log. */
export function oneLine(text: string): string {
  const line = text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  // A cut between the two halves of a character leaves none of it.
  return line.length <= MAX_TEXT_CHARS ? line : `${line.slice(0, MAX_TEXT_CHARS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
