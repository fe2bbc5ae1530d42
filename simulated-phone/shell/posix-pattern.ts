import { CommandFailure } from './command.js';
import { BadPattern, linearPattern, quotedPattern, type LinearPattern } from '../patterns/linear-pattern.js';

/** Compiles a regular expression of grep or sed, basic or extended. `around` is put before and after it, such as `^(?:` and `)$`. */
export function posixPattern(
  pattern: string,
  options: { extended: boolean; literal?: boolean; ignoreCase?: boolean; around?: readonly [string, string] },
): LinearPattern {
  const source = options.literal ? quotedPattern(pattern) : options.extended ? pattern : extendedFromBasic(pattern);
  const [head, tail] = options.around ?? ['', ''];
  try {
    return linearPattern(head + source + tail, { ignoreCase: options.ignoreCase ?? false });
  } catch (error) {
    if (error instanceof BadPattern) throw new CommandFailure(`bad REGEX '${pattern.slice(0, MAX_SHOWN_CHARS)}'`);
    throw error;
  }
}

const MAX_SHOWN_CHARS = 200;

/** Turns a basic expression into an extended one. In a basic one `\(` groups and `(` is a bracket; in an extended one `(` groups. */
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
