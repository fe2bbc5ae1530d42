import { ShellSyntaxError } from './grammar/syntax-tree.js';
import {
  BadPattern,
  linearPattern,
  quotedPattern,
  type LinearPattern,
  type PatternOptions,
} from '../patterns/linear-pattern.js';

/** A pattern of `*`, `?` and `[...]` that must match a whole text. The character after a backslash is taken literally. */
export interface Glob {
  test(text: string): boolean;
}

export function globOf(pattern: string, options: { ignoreCase?: boolean } = {}): Glob {
  if (pattern.startsWith('!(') && groupEnds(pattern).get(1) === pattern.length - 1) {
    const refused = globOf(`@(${pattern.slice(2)}`, options);
    return { test: (text) => !refused.test(text) };
  }
  if (!isGlob(pattern) && !options.ignoreCase) return literally(pattern);
  return compiled(`^(?:${globSource(pattern)})$`, { ...options, dotAll: true }) ?? literally(pattern);
}

/** Returns `value` without the shortest or longest piece at its start or end that `pattern` matches: `#`, `##`, `%`, `%%`. */
export function cutGlob(value: string, pattern: string, which: '#' | '##' | '%' | '%%'): string {
  if (!isGlob(pattern)) {
    const text = globUnescape(pattern);
    if (which.startsWith('#')) return value.startsWith(text) ? value.slice(text.length) : value;
    return value.endsWith(text) ? value.slice(0, value.length - text.length) : value;
  }
  switch (which) {
    case '#': {
      const found = compiled(`^(?:${globSource(pattern, '.*?')})`, { dotAll: true })?.find(value);
      return found ? value.slice(found.end) : value;
    }
    case '##': {
      const found = compiled(`^(?:${globSource(pattern)})`, { dotAll: true, longest: true })?.find(value);
      return found ? value.slice(found.end) : value;
    }
    case '%':
      // The group takes the longest start after which the rest still matches, so the shortest end is cut.
      return compiled(`^(.*)(?:${globSource(pattern)})$`, { dotAll: true })?.find(value)?.groups[1] ?? value;
    case '%%': {
      const found = compiled(`(?:${globSource(pattern)})$`, { dotAll: true })?.find(value);
      return found ? value.slice(0, found.start) : value;
    }
  }
}

/** Replaces longest matches of `pattern` in `value`. `which` selects the first match, all matches, or the match at the start or end. */
export function replaceGlob(
  value: string,
  pattern: string,
  which: 'first' | 'all' | 'start' | 'end',
  by: string,
): string {
  const text = globUnescape(pattern);
  const isLiteral = !isGlob(pattern);
  if (which === 'start' || which === 'end') {
    const rest = which === 'start' ? cutGlob(value, pattern, '##') : cutGlob(value, pattern, '%%');
    const isFound = rest !== value || (isLiteral ? text === '' : globOf(pattern).test(''));
    return !isFound ? value : which === 'start' ? by + rest : rest + by;
  }
  if (text === '') return value;
  if (isLiteral) return which === 'all' ? replaceText(value, text, by) : value.replace(text, () => by);
  const matcher = compiled(globSource(pattern), { dotAll: true, longest: true });
  return matcher
    ? matcher.replace(value, by, { all: which === 'all', looksFar: /[*+]/.test(pattern), maxChars: MAX_RESULT_CHARS })
    : value;
}

function replaceText(value: string, text: string, by: string): string {
  const pieces = value.split(text);
  if (value.length + (pieces.length - 1) * by.length > MAX_RESULT_CHARS) throw new RangeError('a result too long');
  return pieces.join(by);
}

const MAX_RESULT_CHARS = 4 * 1024 * 1024;

function literally(pattern: string): Glob {
  const text = globUnescape(pattern);
  return { test: (candidate) => candidate === text };
}

/** Compiles a pattern. Returns undefined when it is invalid, such as the set [z-a]: sh takes such a word literally. */
function compiled(source: string, options: PatternOptions): LinearPattern | undefined {
  try {
    return linearPattern(source, options);
  } catch (error) {
    if (error instanceof BadPattern) return undefined;
    throw error;
  }
}

/** Returns the pattern as a regular expression. Throws ShellSyntaxError for a `!(...)` that is not the whole pattern. */
function globSource(pattern: string, star = '.*'): string {
  let source = '';
  let afterStar = false;
  const ends = groupEnds(pattern);
  const open: { end: number; repeat: string }[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] ?? '';
    const repeat = GROUPS[char];
    const end = pattern[at + 1] === '(' ? ends.get(at + 1) : undefined;
    if (repeat !== undefined && end !== undefined) {
      if (char === '!') throw new ShellSyntaxError(`syntax error: unsupported pattern: '!(...)' with text beside it`);
      source += '(?:';
      open.push({ end, repeat });
      at++;
    } else if (char === '*') {
      if (!afterStar) source += star;
      afterStar = true;
      continue;
    } else if (char === '?') source += '.';
    else if (char === '\\') source += quotedPattern(pattern[++at] ?? '\\');
    else if (char === '|' && open.length > 0) source += '|';
    else if (char === ')' && open.at(-1)?.end === at) source += `)${open.pop()?.repeat ?? ''}`;
    else if (char === '[') {
      const set = setSource(pattern, at);
      source += set?.source ?? '\\[';
      at = set?.end ?? at;
    } else source += quotedPattern(char);
    afterStar = false;
  }
  return source;
}

/** The repetitions of groups: `@(...)` and the like. */
const GROUPS: Readonly<Record<string, string>> = { '@': '', '?': '?', '*': '*', '+': '+', '!': '' };

/** Returns the place of the closing bracket, for each bracket of a group that is closed. */
function groupEnds(pattern: string): Map<number, number> {
  if (pattern.length > MAX_PATTERN_CHARS) throw new RangeError('a pattern too long');
  const ends = new Map<number, number>();
  const open: number[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === '\\') at++;
    else if (char === '(') open.push(at);
    else if (char === ')') {
      const start = open.pop();
      if (start !== undefined) ends.set(start, at);
    }
  }
  return ends;
}

const MAX_PATTERN_CHARS = 8 * 1024;

/** Reads `[a-z]`, `[!a-z]` or `[[:digit:]]` from `at` on; undefined when it does not close. */
function setSource(pattern: string, at: number): { source: string; end: number } | undefined {
  const match = /^\[([!^]?)(\]?(?:\[:[a-z]+:\]|\\[\s\S]|[^\]\\])*)\]/.exec(pattern.slice(at, at + MAX_SET_CHARS));
  if (!match) return undefined;
  const [all, not = '', inner = ''] = match;
  const members = inner.replace(/\[:[a-z]+:\]|\\([\s\S])|[[\]^]/g, (part, quoted?: string) =>
    part.startsWith('[:') ? part : `\\${quoted ?? part}`.replace(/^\\(?=\w)/, ''),
  );
  return { source: `[${not === '' ? '' : '^'}${members}]`, end: at + all.length - 1 };
}

const MAX_SET_CHARS = 1_024;

/** Escapes the characters of a quoted part of a word. */
export function globEscape(text: string): string {
  return text.replace(/[*?[\]\\()|]/g, '\\$&');
}

/** Escapes backslashes and the signs of groups. In a text from an expansion, `*`, `?` and sets have a meaning, but groups do not. */
export function globEscapeGroups(text: string): string {
  return text.replace(/[\\()|]/g, '\\$&');
}

export function globUnescape(pattern: string): string {
  return pattern.replace(/\\([\s\S])/g, '$1');
}

/** Whether any part of a pattern is not taken literally. */
export function isGlob(pattern: string): boolean {
  return /[*?[]|[@+!]\(/.test(pattern.replace(/\\[\s\S]/g, ''));
}

/** Returns the paths that match, sorted. `list` returns the names in a folder, none when it cannot be read. */
export async function expandGlob(
  pattern: string,
  cwd: string,
  list: (folder: string) => Promise<readonly string[]>,
): Promise<string[]> {
  const absolute = pattern.startsWith('/');
  let found = [''];
  for (const part of pattern.split('/').filter((piece) => piece !== '')) {
    const next: string[] = [];
    for (const folder of found) {
      const prefix = folder === '' ? (absolute ? '/' : '') : `${folder}/`;
      if (!isGlob(part)) {
        next.push(prefix + globUnescape(part));
        continue;
      }
      const expression = globOf(part);
      const names = await list(prefix.startsWith('/') ? prefix : `${cwd}/${prefix}`);
      for (const name of names)
        if (expression.test(name) && (part.startsWith('.') || !name.startsWith('.'))) next.push(prefix + name);
    }
    found = next.slice(0, MAX_MATCHES);
  }
  const existing: string[] = [];
  for (const path of found) {
    // A plain part after a pattern (`*/base.apk`) was not looked up yet.
    const full = path.startsWith('/') ? path : `${cwd}/${path}`;
    const slash = full.lastIndexOf('/');
    if ((await list(full.slice(0, slash) || '/')).includes(full.slice(slash + 1))) existing.push(path);
  }
  return existing.sort();
}

const MAX_MATCHES = 10_000;
