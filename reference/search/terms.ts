// This file is also a script of the pages, so it imports nothing. Browsers make the terms of a question with the same code as the index.

/** Words that are too common to find anything by. */
const EMPTY = new Set(
  (
    'a an and are as at be by can do does for from has have how i if in into is it its me my of on or per so than that the their ' +
    'them then there this to was what when where which with without you your'
  ).split(' '),
);

/** Returns the words of a text, as they are written: letters, digits and underscores that stand together. */
export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** Returns the term of a word. Forms of one word have the same term: files, filing and file. It is empty for a word in EMPTY. */
export function termOf(word: string): string {
  const lower = word.toLowerCase();
  return EMPTY.has(lower) ? '' : stemOf(lower);
}

/** Returns the terms that find a word: its own, and those of its parts, as in `idle_stop_s` or `getScreenshot`. */
export function termsOf(word: string): string[] {
  const parts = partsOf(word);
  return [termOf(word), ...(parts.length > 1 ? parts.map(termOf) : [])].filter((term) => term !== '');
}

/** Returns the parts of a name that is made of several words. Any other word is returned as its only part. */
export function partsOf(word: string): string[] {
  return word
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
    .split('_')
    .filter((part) => part !== '');
}

/** Cuts off the English endings of a word. The result need not be a word, but all forms of the word have the same result. */
function stemOf(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  const singular = word
    .replace(/ies$/, 'y')
    .replace(/(ss|x|ch|sh)es$/, '$1')
    .replace(/(?<![siu])s$/, '');
  const bare = singular.replace(/^(?=.*[aeiouy].*(?:ing|ed)$)(.{3,}?)(?:ing|(?<!e)ed)$/, '$1').replace(/ation$/, 'at');
  return bare.replace(/([bdglmnprt])\1$/, '$1').replace(/(?<=..)e$/, '');
}
