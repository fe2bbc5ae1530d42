/**
 * The error for `${NAME:?text}` of a missing variable, for a missing variable after `set -u`, and for an expansion that becomes too long.
 */
export class ExpansionFailure extends Error {
  override name = 'ExpansionFailure';
}

/** Most words of one expansion, or of the arguments of one command. */
export const MAX_WORDS = 250_000;
const MAX_WORD_CHARS = 4 * 1024 * 1024;

/** Returns the text. Throws when it is too long, as a loop of `X=$X$X` would use up the memory of all phones. */
export function boundedText(text: string): string {
  if (text.length > MAX_WORD_CHARS) throw new ExpansionFailure('argument too long');
  return text;
}

/** Returns the number of words. Throws when it is more than a command may have. */
export function boundedCount(count: number): number {
  if (count > MAX_WORDS) throw new ExpansionFailure('argument list too long');
  return count;
}
