/** Longest text that is folded, UTF-16 code units. Longer texts are compared without folding, as no button has one as its label. */
const MAX_FOLDED_CHARS = 4_000;

/** More marks in a row than any writing has (Unicode calls 30 stream-safe). The time to sort them grows with the square of their number. */
const TOO_MANY_MARKS = /\p{M}{31}/u;

/**
 * Characters that show nothing: soft hyphens, zero-width blanks, marks and isolates of direction, variation selectors. The tags that
 * distinguish the flags of countries are not among them.
 */
const INVISIBLE = /(?![\u{e0020}-\u{e007f}])\p{Default_Ignorable_Code_Point}/gu;

/** Characters that keyboards and typographers write differently. They are replaced first, as NFKC makes blanks and marks of some. */
const VARIANTS: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019\u201a\u201b\u2032\u2035\u2039\u203a\u02b9\u02bb\u02bc\u02bd\u00b4\u0060\uff07]/g, "'"],
  [/[\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb\u301d\u301e\u301f\uff02]/g, '"'],
  [/[\u301c\uff5e]/g, '~'],
  [/[\p{Pd}\u2212\u2043]/gu, '-'],
];

/**
 * Matches the parts of a text that may be normalized. NFKC would change some numbers (10² is not 102), and turn a ligature into eighteen
 * characters.
 */
const KEPT_APART = /[^\p{No}\ufdfa\ufdfb]+/gu;

/**
 * Returns the text without typographic details, as people and models write it. It is in NFKC and lower case with `ß` as `ss`, and has
 * straight quotes, one kind of dash and blank, and no invisible characters. Undefined for texts that nobody writes by hand.
 */
export function foldWords(text: string): string | undefined {
  if (text.length > MAX_FOLDED_CHARS || TOO_MANY_MARKS.test(text)) return undefined;
  let folded = text.replaceAll(INVISIBLE, '');
  for (const [variants, one] of VARIANTS) folded = folded.replaceAll(variants, one);
  // NFKC is applied before and after lower case: it makes capitals (℃), and lower case makes accents that it joins with letters (İ).
  folded = compatible(compatible(folded).toLowerCase());
  folded = folded.replaceAll('ß', 'ss').replaceAll('ς', 'σ').replaceAll('i\u0307', 'i');
  return foldBlanks(folded.replaceAll(INVISIBLE, ''));
}

/** Returns the text in lower case, with one blank for several, and none at its ends. */
export function foldCase(text: string): string {
  return foldBlanks(text).toLocaleLowerCase('en');
}

function foldBlanks(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}

function compatible(text: string): string {
  return text.replaceAll(KEPT_APART, (part) => part.normalize('NFKC'));
}
