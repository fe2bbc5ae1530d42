import { BadPattern, linearPattern, quotedPattern, type LinearPattern, type PatternOptions } from './linear-pattern.js';

/** A pattern of `*`, `?` and `[...]`, for whole words; a backslash takes the next character as it is. */
export interface Glob {
  test(text: string): boolean;
}

export function globOf(pattern: string, options: { ignoreCase?: boolean } = {}): Glob {
  if (!isGlob(pattern) && !options.ignoreCase) return literally(pattern);
  return compiled(`^(?:${globSource(pattern)})$`, { ...options, dotAll: true }) ?? literally(pattern);
}

/** `value` without the shortest or longest piece at its start or end that `pattern` matches: `#`, `##`, `%`, `%%`. */
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
      // The longest start that leaves a match is before the shortest end.
      return compiled(`^(.*)(?:${globSource(pattern)})$`, { dotAll: true })?.find(value)?.groups[1] ?? value;
    case '%%': {
      const found = compiled(`(?:${globSource(pattern)})$`, { dotAll: true })?.find(value);
      return found ? value.slice(0, found.start) : value;
    }
  }
}

function literally(pattern: string): Glob {
  const text = globUnescape(pattern);
  return { test: (candidate) => candidate === text };
}

/** Undefined for a set such as [z-a]: sh takes such a word literally. */
function compiled(source: string, options: PatternOptions): LinearPattern | undefined {
  try {
    return linearPattern(source, options);
  } catch (error) {
    if (error instanceof BadPattern) return undefined;
    throw error;
  }
}

function globSource(pattern: string, star = '.*'): string {
  let source = '';
  let afterStar = false;
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] ?? '';
    if (char === '*') {
      if (!afterStar) source += star;
      afterStar = true;
      continue;
    }
    afterStar = false;
    if (char === '?') source += '.';
    else if (char === '\\') source += quotedPattern(pattern[++at] ?? '\\');
    else if (char === '[') {
      const end = pattern.indexOf(']', at + 2);
      if (end < 0) source += '\\[';
      else {
        const inner = pattern.slice(at + 1, end).replace(/^!/, '^').replace(/[\\[\]^]/g, (c, index: number) => (index === 0 && c === '^' ? c : `\\${c}`)); // prettier-ignore
        source += `[${inner}]`;
        at = end;
      }
    } else source += quotedPattern(char);
  }
  return source;
}

/** Takes the meaning from the characters of a quoted part of a word. */
export function globEscape(text: string): string {
  return text.replace(/[*?[\]\\]/g, '\\$&');
}

export function globUnescape(pattern: string): string {
  return pattern.replace(/\\([\s\S])/g, '$1');
}

/** Whether anything in it is not taken literally. */
export function isGlob(pattern: string): boolean {
  return /[*?[]/.test(pattern.replace(/\\[\s\S]/g, ''));
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
