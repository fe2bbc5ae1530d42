import { RE2JS } from 're2js';

/** Matches in time linear in the text. */
export interface LinearPattern {
  test(text: string): boolean;
  /** Returns the first match from the left; undefined when there is none. */
  find(text: string): PatternMatch | undefined;
  /** Yields the matches of `all` one by one. The caller can do other work in between, as each match may read the whole rest of the text. */
  each(text: string): Generator<PatternMatch, void, undefined>;
  /** Returns every match from the left, without overlaps. Empty matches are among them. */
  all(text: string): PatternMatch[];
  /**
   * Replaces the first match that is not empty, or all such matches. `looksFar`: the pattern can match texts of any length, so each match
   * may read the whole rest. Throws RangeError when the result has more than `maxChars`, or when the matches take too long to find.
   */
  replace(text: string, by: string, options: { all: boolean; looksFar: boolean; maxChars: number }): string;
}

export interface PatternMatch {
  start: number;
  end: number;
  /** The whole match, then the text of each group; undefined for a group that took no part. */
  groups: (string | undefined)[];
}

export interface PatternOptions {
  ignoreCase?: boolean;
  /** Whether `.` matches a line feed too. */
  dotAll?: boolean;
  /** Whether the longest match at the leftmost place counts, instead of the one that the pattern prefers. */
  longest?: boolean;
  /** The limit of one match: the number of the pattern's states, times the characters of the text. Default: 50,000,000. */
  maxSteps?: number;
}

/**
 * Compiles a regular expression from a customer's command. V8's engine backtracks: `(a+)+$` on forty letters would hold the process, and
 * with it every phone in it, for hours. So there are no back-references and no look-around here. Throws BadPattern.
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
  const maxChars = Math.floor((options.maxSteps ?? MAX_STEPS) / Math.max(1, compiled.programSize()));
  const matcherOf = (text: string): ReturnType<RE2JS['matcher']> => {
    // The time grows with the text's length times the pattern's size, so their product is bounded.
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
    each: function* (text) {
      const matcher = matcherOf(text);
      while (matcher.find()) yield read(matcher);
    },
    all: (text) => {
      const matcher = matcherOf(text);
      const found: PatternMatch[] = [];
      while (matcher.find()) found.push(read(matcher));
      return found;
    },
    replace: (text, by, { all, looksFar, maxChars: maxResultChars }) => {
      const matcher = matcherOf(text);
      const parts: string[] = [];
      let from = 0;
      let chars = 0;
      let lookedAt = 0;
      while (matcher.find()) {
        lookedAt += looksFar ? text.length - matcher.start() : 0;
        if (lookedAt > Math.max(maxChars / 10, text.length))
          throw new RangeError('too many matches in a line too long');
        if (matcher.end() === matcher.start()) continue;
        parts.push(text.slice(from, matcher.start()), by);
        chars += matcher.start() - from + by.length;
        if (chars > maxResultChars) throw new RangeError('a result too long');
        from = matcher.end();
        if (!all) break;
      }
      return parts.join('') + text.slice(from);
    },
  };
}

/** Returns a pattern that matches only `text`. */
export function quotedPattern(text: string): string {
  return RE2JS.quote(text);
}

export class BadPattern extends Error {
  override name = 'BadPattern';
}

const MAX_SOURCE_CHARS = 8 * 1024;
/** The default of `maxSteps`. Such a match takes about a tenth of a second at worst. */
const MAX_STEPS = 50_000_000;
