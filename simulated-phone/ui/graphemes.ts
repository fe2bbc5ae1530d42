const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Splits a text into grapheme clusters, so that a caret or a cut never splits a letter. */
export function clusters(text: string): string[] {
  return Array.from(letters.segment(text), ({ segment }) => segment);
}
