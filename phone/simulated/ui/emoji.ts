const EMOJI = /\p{Extended_Pictographic}/u;
const MAY_BE_EMOJI = /[\u2600-\u27bf\u{1f000}-\u{1faff}]/u;
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;
const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Splits a text into grapheme clusters, so that a caret or a cut never splits a letter. */
export function clusters(text: string): string[] {
  return Array.from(letters.segment(text), ({ segment }) => segment);
}

/** Splits a text into runs that the fonts have and runs of emoji: there is no emoji font, so the phone draws its own. */
export function emojiOf(content: string): { text: string; emoji: boolean }[] {
  // Control characters have no picture; without this each would be drawn as an empty box.
  const text = content.replace(CONTROL, ' ');
  if (!MAY_BE_EMOJI.test(text)) return [{ text, emoji: false }];
  const runs: { text: string; emoji: boolean }[] = [];
  for (const letter of clusters(text)) {
    const emoji = EMOJI.test(letter) && MAY_BE_EMOJI.test(letter);
    const last = runs.at(-1);
    if (last?.emoji === emoji) last.text += letter;
    else runs.push({ text: letter, emoji });
  }
  return runs;
}
