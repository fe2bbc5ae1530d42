import { clusters } from './graphemes.js';

/**
 * Scripts without blanks between words. Lines of the first kind break between any two letters; lines of the second kind break where a
 * dictionary ends a word.
 */
const IDEOGRAPHS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u3000-\u303f\uff00-\uffef]/u;
const WITHOUT_BLANKS = /[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

const words = new Intl.Segmenter('th', { granularity: 'word' });

/** Characters with which no line begins, and characters with which no line ends. */
const NOT_FIRST =
  /^[\p{Pe}\p{Pf}\p{M}、。，．・：；？！々ー…‥゛゜ゝゞヽヾ!,.:;?%％ぁぃぅぇぉっゃゅょァィゥェォッャュョ]/u;
const NOT_LAST = /[\p{Ps}\p{Pi}]$/u;

/** Splits a paragraph into blanks and pieces between which a line may break. */
export function linePieces(paragraph: string): string[] {
  return (paragraph.match(/\s+|\S+/g) ?? []).flatMap((word) => {
    if (WITHOUT_BLANKS.test(word)) return glued(Array.from(words.segment(word), ({ segment }) => segment));
    return IDEOGRAPHS.test(word) ? glued(byLetter(word)) : [word];
  });
}

/** Splits off each ideograph; other letters in a row stay together. */
function byLetter(word: string): string[] {
  const pieces: string[] = [];
  let wasIdeograph = true;
  for (const letter of clusters(word)) {
    const isIdeograph = IDEOGRAPHS.test(letter);
    if (isIdeograph || wasIdeograph) pieces.push(letter);
    else pieces[pieces.length - 1] = `${pieces.at(-1) ?? ''}${letter}`;
    wasIdeograph = isIdeograph;
  }
  return pieces;
}

function glued(parts: readonly string[]): string[] {
  const pieces: string[] = [];
  for (const part of parts) {
    const last = pieces.at(-1);
    if (last !== undefined && (NOT_FIRST.test(part) || NOT_LAST.test(last))) pieces[pieces.length - 1] = last + part;
    else pieces.push(part);
  }
  return pieces;
}
