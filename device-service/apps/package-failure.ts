/** Characters of a phone's own words that are passed on. */
const LONGEST_SHOWN = 500;

/** Returns the phone's own words in what its package manager printed: `Failure [CODE: text]`, else its first line. */
export function failureIn(said: string): string {
  const own = /^Failure \[[^\]]*\]|^Failure .*|^Error.*|^Exception.*/m.exec(said)?.[0];
  const words = own ?? said.trim().split('\n')[0] ?? '';
  return words === '' ? 'the package manager printed nothing' : printable(words).slice(0, LONGEST_SHOWN);
}

function printable(text: string): string {
  // eslint-disable-next-line no-control-regex -- a phone may print anything
  return text.replaceAll(/[\x00-\x1f\x7f]+/g, ' ').trim();
}
