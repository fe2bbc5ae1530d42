import { ShellSyntaxError } from './syntax-tree.js';

const LETTERS: Readonly<Record<string, string>> = { a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }; // prettier-ignore

/** Reads the text of `$'...'` after its first quote. `end` is the place after the last quote. Throws ShellSyntaxError where that is missing. */
export function ansiQuoted(text: string, start: number): { text: string; end: number } {
  // The text is collected as bytes, as `\xc3\xa4` is one character.
  const parts: Buffer[] = [];
  for (let at = start; at < text.length; at++) {
    const char = text[at] ?? '';
    if (char === "'") return { text: Buffer.concat(parts).toString('utf8').replaceAll('\0', ''), end: at + 1 };
    if (char !== '\\') {
      const end = text.slice(at).search(/[\\']/);
      const plain = text.slice(at, end < 0 ? undefined : at + end);
      parts.push(Buffer.from(plain));
      at += plain.length - 1;
      continue;
    }
    const { value, chars } = escaped(text.slice(at + 1, at + 10));
    parts.push(value);
    at += chars;
  }
  throw new ShellSyntaxError('syntax error: unterminated quoted string', { incomplete: true });
}

/** Returns the bytes that an escape stands for, and how many characters follow its backslash. */
function escaped(rest: string): { value: Buffer; chars: number } {
  const byte = /^(?:x([\da-fA-F]{1,2})|([0-7]{1,3}))/.exec(rest);
  if (byte) {
    const [all, hex, octal = '0'] = byte;
    return { value: Buffer.from([hex === undefined ? parseInt(octal, 8) : parseInt(hex, 16)]), chars: all.length };
  }
  const point = /^(?:u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8}))/.exec(rest);
  if (point) {
    const value = parseInt(point[1] ?? point[2] ?? '0', 16);
    return { value: Buffer.from(value <= 0x10ffff ? String.fromCodePoint(value) : '\ufffd'), chars: point[0].length };
  }
  const [letter = '', control = ''] = rest;
  if (letter === 'c' && control !== '') return { value: Buffer.from([control.charCodeAt(0) & 0x1f]), chars: 2 };
  return { value: Buffer.from(LETTERS[letter] ?? letter), chars: letter.length };
}
