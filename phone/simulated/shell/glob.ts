/** A pattern of `*`, `?` and `[...]` as a regular expression; a backslash takes the next character as it is. */
export function globExpression(pattern: string): RegExp {
  let source = '';
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] ?? '';
    if (char === '*') source += source.endsWith('.*') ? '' : '.*';
    else if (char === '?') source += '.';
    else if (char === '\\') source += escaped(pattern[++at] ?? '\\');
    else if (char === '[') {
      const end = pattern.indexOf(']', at + 2);
      if (end < 0) source += '\\[';
      else {
        const inner = pattern.slice(at + 1, end).replace(/[\\\]^]/g, (c, index: number) => (index === 0 && c === '^' ? c : `\\${c}`)); // prettier-ignore
        source += `[${inner.replace(/^!/, '^')}]`;
        at = end;
      }
    } else source += escaped(char);
  }
  try {
    return new RegExp(`^${source}$`, 's');
  } catch {
    // A set such as [z-a]: sh takes such a word literally.
    return new RegExp(`^${escaped(pattern)}$`, 's');
  }
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

function escaped(char: string): string {
  return char.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

/** The paths that match, sorted. Empty when none does. `list` answers the names in a folder, none when it cannot be read. */
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
      const expression = globExpression(part);
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
