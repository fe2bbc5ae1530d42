const LETTERS: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\x1b',
  E: '\x1b',
};

/**
 * Returns the text of `echo` and `print` with its escapes resolved. `isCut`: a `\c` in it removes the line feed. An escape such as `\xff`
 * is one byte.
 */
export function unescaped(text: string): { bytes: Buffer; isCut: boolean } {
  // The text has one character for each byte.
  const source = Buffer.from(text, 'utf8').toString('latin1');
  let isCut = false;
  const result = source.replace(
    /\\(x[\da-fA-F]{1,2}|0?[0-7]{1,3}|u[\da-fA-F]{1,4}|[ntrabfveEc\\])/g,
    (_whole, code: string) => {
      if (code === '\\') return '\\';
      if (code === 'c') {
        isCut = true;
        return '';
      }
      if (code.startsWith('x')) return String.fromCharCode(parseInt(code.slice(1), 16));
      if (code.startsWith('u')) return Buffer.from(String.fromCharCode(parseInt(code.slice(1), 16))).toString('latin1');
      return LETTERS[code] ?? String.fromCharCode(parseInt(code, 8) & 0xff);
    },
  );
  return { bytes: Buffer.from(result, 'latin1'), isCut };
}
