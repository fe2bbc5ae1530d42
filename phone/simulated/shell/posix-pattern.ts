import { CommandFailure } from './command.js';

/** A regular expression of grep or sed, basic or extended, as one of JavaScript. */
export function posixPattern(
  pattern: string,
  options: { extended: boolean; ignoreCase?: boolean; global?: boolean },
): RegExp {
  const flags = `${options.ignoreCase ? 'i' : ''}${options.global ? 'g' : ''}`;
  const source = (options.extended ? pattern : extendedFromBasic(pattern)).replace(
    /\[\[:(\w+):\]|\[:(\w+):\]/g,
    (whole, first?: string, second?: string) => {
      const set = CLASSES[first ?? second ?? ''];
      if (set === undefined) return whole;
      return first === undefined ? set : `[${set}`;
    },
  );
  try {
    return new RegExp(source, flags);
  } catch {
    throw new CommandFailure(`bad REGEX '${pattern}'`);
  }
}

export function literalPattern(text: string, options: { ignoreCase?: boolean }): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'), options.ignoreCase ? 'i' : '');
}

const CLASSES: Record<string, string> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  blank: ' \\t',
  digit: '0-9',
  lower: 'a-z',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\s',
  upper: 'A-Z',
  xdigit: '0-9A-Fa-f',
};

/** In a basic expression `\(` groups and `(` is a bracket; in an extended one it is the other way round. */
function extendedFromBasic(pattern: string): string {
  let result = '';
  let inSet = false;
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] ?? '';
    const next = pattern[at + 1] ?? '';
    if (inSet) {
      inSet = char !== ']' || /\[\^?$/.test(result);
      result += char === '\\' ? '\\\\' : char;
    } else if (char === '[') {
      inSet = true;
      result += char;
    } else if (char === '\\' && '(){}|+?'.includes(next)) {
      result += next;
      at++;
    } else if ('(){}|+?'.includes(char)) result += `\\${char}`;
    else if (char === '*' && (result === '' || result.endsWith('('))) result += '\\*';
    else if (char === '\\') {
      result += char + next;
      at++;
    } else result += char;
  }
  return result;
}
