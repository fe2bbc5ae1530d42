/** Returns a word that the shell reads as this text. It has no quotes where none are needed. */
export function quotedForShell(text: string): string {
  if (/^[\w@%+:,./-]+$/.test(text)) return text;
  // eslint-disable-next-line no-control-regex -- these are the characters that need `$'...'`.
  if (!/[\x00-\x1f\x7f]/.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  // eslint-disable-next-line no-control-regex -- as above.
  return `$'${text.replace(/[\\'\x00-\x1f\x7f]/g, (char) => ESCAPES[char] ?? `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`)}'`; // prettier-ignore
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\x1b': '\\E',
};
