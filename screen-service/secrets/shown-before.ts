import type { Secret, ShownBefore, TextKind } from './secret.js';
import { wordsOf } from './secret-pattern.js';

/** A part of a text that looks like a secret. */
interface Like {
  secret: Pick<Secret, 'before'>;
  from: number;
  to: number;
  isWhole: boolean;
  isEncoded: boolean;
}

interface LookedAt extends TextKind {
  text: string;
  /** The same text as `inOneLine` writes it, which is how texts are remembered. */
  line: string;
}

/**
 * Whether a part of a text that looks like a secret was on the screen before the secret was typed. The screen must have shown the whole
 * text, or the part with the same word beside it. For a piece of the secret, the piece as a word of its own is enough. For the whole secret
 * outside a field, it is enough that a hint or resource id has the secret as a word. The whole content of a field never counts, as the
 * secret was typed into a field.
 */
export function wasShownBefore({ text, line, isField }: LookedAt, like: Like): boolean {
  const { texts, inContext, words, isName } = like.secret.before;
  if (texts.size + words.size === 0 && !isName) return false;
  const own = coreOf(text, like);
  const isAll = own.before === undefined && own.after === undefined;
  if (isField && isAll) return false;
  if (texts.has(line)) return true;
  if (like.isEncoded || own.core === '') return false;
  if (contextsOf(own).some((context) => inContext.has(context))) return true;
  return like.isWhole ? isName && !isField : words.has(own.core);
}

interface Core {
  core: string;
  before: string | undefined;
  after: string | undefined;
}

/** Returns the words in which a part of a text lies, and the words beside them. */
function coreOf(text: string, { from, to }: { from: number; to: number }): Core {
  // Letters and digits right beside the part belong to its words. Other characters do not, so the word in "PIN:4711" is 4711.
  const beginning = text.slice(Math.max(0, from - LOOKED_AT), from);
  const end = text.slice(to, to + LOOKED_AT);
  const [first, last] = [wordAtEnd(beginning), /^[\p{L}\p{M}\p{N}]*/u.exec(end)?.[0] ?? ''];
  const core = folded(wordsOf(first + text.slice(from, to) + last).join(' '));
  return {
    core,
    before: wordsOf(beginning.slice(0, beginning.length - first.length))
      .at(-1)
      ?.toLocaleLowerCase('en'),
    after: wordsOf(end.slice(last.length)).at(0)?.toLocaleLowerCase('en'),
  };
}

/** Returns the letters and digits at the end of a text. A regular expression would be tried at each place of the text. */
function wordAtEnd(text: string): string {
  const characters = Array.from(text);
  const last = characters.findLastIndex((character) => !/[\p{L}\p{M}\p{N}]/u.test(character));
  return characters.slice(last + 1).join('');
}

/** The number of characters before and after a part of a text in which the words beside it are searched for. */
const LOOKED_AT = 100;

function contextsOf({ core, before, after }: Core): string[] {
  return [...(before === undefined ? [] : [`${before} ${core}`]), ...(after === undefined ? [] : [`${core} ${after}`])];
}

/** Most entries of each kind that are kept of one secret. */
const MAX_KEPT_ENTRIES = 200;

/** Collects what a screen showed before a secret was typed. `like` finds the parts of a text that look like it. */
export function shownBefore(
  secret: string,
  texts: Iterable<string>,
  names: Iterable<string>,
  like: (text: string) => readonly { from: number; to: number }[],
): ShownBefore {
  const [whole, inContext, words] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const lower = folded(secret);
  const add = (to: Set<string>, entry: string): void => {
    if (to.size < MAX_KEPT_ENTRIES) to.add(entry);
  };
  const addWords = (text: string): void => {
    for (const word of wordsOf(text)) if (word.length >= MIN_WORD && lower.includes(word)) add(words, word);
  };
  for (const text of texts) {
    addWords(folded(text));
    const spots = like(text);
    if (spots.length > 0) add(whole, inOneLine(text));
    for (const spot of spots) for (const context of contextsOf(coreOf(text, spot))) add(inContext, context);
  }
  for (const name of names) addWords(name);
  return { texts: whole, inContext, words, isName: [...names].includes(lower) };
}

/** Words of fewer characters are never pieces of a secret. */
const MIN_WORD = 3;

export function folded(text: string): string {
  return inOneLine(text).toLocaleLowerCase('en');
}

export function inOneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}
