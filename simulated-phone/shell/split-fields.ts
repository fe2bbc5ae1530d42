/** The pieces of an expanded text between separators. */
export interface SplitText {
  /** Whether the text begins with blanks, which end the word in front of it. */
  leading: boolean;
  pieces: string[];
  /** Whether a separator comes last. */
  trailing: boolean;
}

/** Splits at the characters of `IFS`. A run of blanks is one separator. Any other character of `IFS` is one, with the blanks around it. */
export function splitFields(text: string, separators: string): SplitText {
  if (separators === '') return { leading: false, pieces: text === '' ? [] : [text], trailing: false };
  const isBlank = (at: number): boolean => ' \t\n'.includes(text[at] ?? 'x') && separators.includes(text[at] ?? '');
  const isSeparator = (at: number): boolean => at < text.length && separators.includes(text[at] ?? '');
  let at = 0;
  while (at < text.length && isBlank(at)) at++;
  const result: SplitText = { leading: at > 0, pieces: [], trailing: false };
  while (at < text.length) {
    const start = at;
    while (at < text.length && !isSeparator(at)) at++;
    result.pieces.push(text.slice(start, at));
    if (at >= text.length) break;
    at = behindSeparator(at, isBlank, isSeparator);
    result.trailing = at >= text.length;
  }
  return result;
}

function behindSeparator(from: number, isBlank: (at: number) => boolean, isSeparator: (at: number) => boolean): number {
  let at = from;
  while (isBlank(at)) at++;
  if (!isSeparator(at)) return at;
  at++;
  while (isBlank(at)) at++;
  return at;
}
