import { RE2JS } from 're2js';

/** Matches in time linear in the text. */
export interface LinearPattern {
  test(text: string): boolean;
  /** Where it first matches, from left; undefined when nowhere. */
  find(text: string): PatternMatch | undefined;
  /** Every match from left, none inside of another. Empty matches are among them. */
  all(text: string): PatternMatch[];
}

export interface PatternMatch {
  start: number;
  end: number;
  /** The whole match, then the text of each group; undefined for one that took no part. */
  groups: (string | undefined)[];
}

export interface PatternOptions {
  ignoreCase?: boolean;
  /** `.` takes a line feed too. */
  dotAll?: boolean;
  /** The longest of the matches that begin leftmost, instead of the first that is found. */
  longest?: boolean;
}

/**
 * A regular expression from a customer's command. V8's engine goes back and forth: `(a+)+$` on forty letters would hold the
 * process, and with it every phone in it, for hours. So there are no back-references and no look-around here.
 * Throws BadPattern.
 */
export function linearPattern(source: string, options: PatternOptions = {}): LinearPattern {
  if (source.length > MAX_SOURCE_CHARS) throw new BadPattern('too long');
  const flags =
    (options.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0) |
    (options.dotAll ? RE2JS.DOTALL : 0) |
    (options.longest ? RE2JS.LONGEST_MATCH : 0);
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(source, flags);
  } catch (error) {
    throw new BadPattern('not understood', { cause: error });
  }
  const maxChars = Math.floor(MAX_STEPS / Math.max(1, compiled.programSize()));
  const matcherOf = (text: string): ReturnType<RE2JS['matcher']> => {
    // Linear in the text, but times the pattern: both together must stay a short moment.
    if (text.length > maxChars) throw new RangeError('a line too long for this pattern');
    return compiled.matcher(text);
  };
  const read = (matcher: ReturnType<RE2JS['matcher']>): PatternMatch => ({
    start: matcher.start(),
    end: matcher.end(),
    groups: Array.from({ length: compiled.groupCount() + 1 }, (_, at) => matcher.group(at) ?? undefined),
  });
  return {
    test: (text) => matcherOf(text).find(),
    find: (text) => {
      const matcher = matcherOf(text);
      return matcher.find() ? read(matcher) : undefined;
    },
    all: (text) => {
      const matcher = matcherOf(text);
      const found: PatternMatch[] = [];
      while (matcher.find()) found.push(read(matcher));
      return found;
    },
  };
}

/** `text` as a pattern that matches it alone. */
export function quotedPattern(text: string): string {
  return RE2JS.quote(text);
}

export class BadPattern extends Error {
  override name = 'BadPattern';
}

const MAX_SOURCE_CHARS = 8 * 1024;
/** States of the pattern times characters of a line: about a tenth of a second at worst. */
const MAX_STEPS = 50_000_000;
