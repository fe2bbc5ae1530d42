/** One word of a shell command, with any content. NUL cannot be passed to a command and is left out. */
export function shellQuote(word: string): string {
  return `'${word.replaceAll('\0', '').replaceAll("'", `'\\''`)}'`;
}
