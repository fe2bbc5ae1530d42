/** Only this many of the latest typed texts are compared, and this many characters of each. */
const MAX_TYPED_TEXTS = 10;
const MAX_TYPED_CHARS = 2_000;

/**
 * Whether typing explains the content of a field: it is the typed text, or the earlier content with the typed text inside. Case, blanks and
 * punctuation do not count, as fields add and change these. Typing does not explain an account number that the page has exchanged.
 */
export function isTyped(before: string, now: string, typed: readonly string[]): boolean {
  if (Math.max(before.length, now.length) > MAX_TYPED_CHARS) return false;
  const [from, to] = [folded(before), folded(now)];
  const texts = typed.slice(-MAX_TYPED_TEXTS).map((text) => folded(text.slice(0, MAX_TYPED_CHARS)));
  return texts.some((_, first) => {
    let joined = '';
    return texts.slice(first).some((text) => {
      joined += text;
      return holdsTyped(from, to, joined);
    });
  });
}

function holdsTyped(before: string, now: string, text: string): boolean {
  if (text === '') return false;
  if (now === text) return true;
  if (now.length !== before.length + text.length) return false;
  for (let at = now.indexOf(text); at >= 0; at = now.indexOf(text, at + 1)) {
    if (now.slice(0, at) + now.slice(at + text.length) === before) return true;
  }
  return false;
}

/** Returns a text with only its letters, digits, emoji, and the dots that stand for secrets. */
function folded(text: string): string {
  return text
    .normalize('NFKC')
    .toLocaleLowerCase('en')
    .replaceAll(/[^\p{L}\p{N}\p{M}\p{Extended_Pictographic}•]/gu, '');
}
