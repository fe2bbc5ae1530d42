const SIGNS: Readonly<Record<string, string>> = { '"': '"', '/': '/', '\\': '\\', n: '\n', t: '\t', f: '\f', r: '\r', b: '\b', v: '\v', a: '\x07' }; // prettier-ignore

/** Returns what a string in a program, or a value of `-v`, stands for. A backslash stays where no known escape follows. */
export function unescapedText(raw: string): string {
  return raw.replace(/\\(\n|[0-7]{1,3}|[^])/g, (whole, escape: string) => {
    if (escape === '\n') return '';
    if (/^[0-7]/.test(escape)) return String.fromCharCode(parseInt(escape, 8) & 0xff);
    return SIGNS[escape] ?? whole;
  });
}
